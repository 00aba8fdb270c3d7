import type { Socket } from "node:net";
import type { RequestSource } from "./request-source.js";

/** The connection that a request came on: of HTTP/1.1, or a stream of HTTP/2, or what was made of one. */
export function requestSocket(request: RequestSource): Socket {
  const source: object = "stream" in request ? request.stream : request;
  return (source as { readonly socket: Socket }).socket;
}
