import type { HttpRequest } from "./http-request.js";
import type { HttpResponse } from "./http-response.js";

/** A transcoder or an RPC handler, which serves requests. */
export interface HttpHandler {
  /**
   * Answers a request. Never rejects, because every failure is a response. If no path of the handler matches, returns undefined
   * and does nothing, or returns a response that is not `matched`.
   */
  handle(request: HttpRequest): Promise<HttpResponse> | undefined;
}
