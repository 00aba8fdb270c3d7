/** The supported protocols. */
export const protocolNames = ["grpc", "connect", "grpc-web"] as const;

export type ProtocolName = (typeof protocolNames)[number];
