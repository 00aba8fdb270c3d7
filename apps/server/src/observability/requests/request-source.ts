import type { WholeRequest } from "@calltrack/http1";
import type { NodeRequest } from "@calltrack/transcoding/node";
import type { GrpcStream } from "./grpc-stream.js";

/** What a request comes as: of Node's servers, as the stream of a gRPC call, or from the socket. */
export type RequestSource = NodeRequest | GrpcStream | WholeRequest;
