import type { NodeRequest, WholeRequest } from "@calltrack/transcoding/node";
import type { GrpcStream } from "@calltrack/transcoding/rpc";

/** What a request comes as: of Node's servers, as the stream of a gRPC call, or from the socket. */
export type RequestSource = NodeRequest | GrpcStream | WholeRequest;
