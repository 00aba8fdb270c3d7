import type { DescMethod } from "@bufbuild/protobuf";
import type { HttpRequest } from "./http-request.js";
import type { HttpResponse } from "./http-response.js";

/** The common interface of transcoders and RPC handlers. */
export interface HttpHandler {
  /** Finds the route for a request from the HTTP method and target alone. Returns undefined if the handler does not serve the path. */
  route(request: Pick<HttpRequest, "method" | "target">): HttpRoute | undefined;
}

export interface HttpRoute {
  /**
   * The RPC method that the request calls. Undefined if the request calls no RPC method, as for `OPTIONS`, or if the path does not allow the HTTP
   * method.
   */
  readonly rpc: DescMethod | undefined;
  /** False if the handler does not serve the path. `handle` then responds with an error, or another handler can serve the request. */
  readonly isMatched: boolean;
  /** Returns the response to the request. Never rejects: a failure becomes an error response. */
  handle(request: HttpRequest): Promise<HttpResponse>;
}
