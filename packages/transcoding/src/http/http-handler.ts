import type { DescMethod } from "@bufbuild/protobuf";
import type { HttpRequest } from "./http-request.js";
import type { HttpResponse } from "./http-response.js";

/** A transcoder or an RPC handler, which serves requests. */
export interface HttpHandler {
  /** Finds the route of a request by its HTTP method and target alone. Returns undefined if no path of the handler matches. */
  route(request: Pick<HttpRequest, "method" | "target">): HttpRoute | undefined;
}

/** The way from a request to its answer. */
export interface HttpRoute {
  /** The method that the request calls; undefined if the answer needs none, as for `OPTIONS` and a path that does not allow the HTTP method. */
  readonly rpc: DescMethod | undefined;
  /** False if no path of the handler matches: the response says so, unless another handler serves the request. */
  readonly isMatched: boolean;
  /** Answers the request. Never rejects, because every failure is a response. */
  handle(request: HttpRequest): Promise<HttpResponse>;
}
