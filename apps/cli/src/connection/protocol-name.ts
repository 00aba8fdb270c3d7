/** The protocols that the CLI supports, the default first. */
export const protocolNames = ["grpc", "connect", "grpc-web"] as const;

/** One of {@link protocolNames}. */
export type ProtocolName = (typeof protocolNames)[number];
