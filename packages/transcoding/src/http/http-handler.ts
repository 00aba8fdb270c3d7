import type { HttpRequest } from "./http-request.js";
import type { HttpResponse } from "./http-response.js";

/** Serves requests: a transcoder, or an RPC handler. */
export interface HttpHandler {
  /**
   * Answers a request. Never rejects: every failure is a response. Returns undefined, with nothing done, or a response that is not
   * `matched`, if the path is not one of the handler's.
   */
  handle(request: HttpRequest): Promise<HttpResponse> | undefined;
}
