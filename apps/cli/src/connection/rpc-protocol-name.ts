export const rpcProtocolNames = ["grpc", "connect", "grpc-web"] as const;

export type RpcProtocolName = (typeof rpcProtocolNames)[number];
