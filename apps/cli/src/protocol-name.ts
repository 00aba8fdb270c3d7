/** The names of the protocols that the service is spoken to in, the default first. */
export const protocolNames = ["grpc", "connect", "grpc-web"] as const;

/** One of {@link protocolNames}. */
export type ProtocolName = (typeof protocolNames)[number];
