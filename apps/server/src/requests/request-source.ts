import type { GrpcStream, NodeRequest, WholeRequest } from "@calltrack/transcoding";

/** What a request comes as: of Node's servers, as the stream of a gRPC call, or from the socket. */
export type RequestSource = NodeRequest | GrpcStream | WholeRequest;
