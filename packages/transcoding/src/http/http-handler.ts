import type { DescMethod } from "@bufbuild/protobuf";
import type { HttpRequest } from "./http-request.js";
import type { HttpResponse } from "./http-response.js";

/** A transcoder or an RPC handler. */
export interface HttpHandler {
  /** Finds the route of a request by its HTTP method and target alone. Returns undefined if no path of the handler matches. */
  route(request: Pick<HttpRequest, "method" | "target">): HttpRoute | undefined;
}

/** The result of routing a request. */
export interface HttpRoute {
  /** The RPC method that the request calls. Undefined if there is none, as for `OPTIONS` or a path that does not allow the HTTP method. */
  readonly rpc: DescMethod | undefined;
  /** False if no path of the handler matches. `handle` then responds with an error; another handler may serve the request instead. */
  readonly isMatched: boolean;
  /** Answers the request. Never rejects, because every failure is a response. */
  handle(request: HttpRequest): Promise<HttpResponse>;
}
