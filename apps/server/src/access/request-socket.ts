import type { Socket } from "node:net";
import type { GrpcStream, NodeRequest } from "@calltrack/transcoding";

/** The connection that a request came on: of HTTP/1.1, or a stream of HTTP/2, or what was made of one. */
export function requestSocket(request: NodeRequest | GrpcStream): Socket {
  const source: object = "stream" in request ? request.stream : request;
  return (source as { readonly socket: Socket }).socket;
}
