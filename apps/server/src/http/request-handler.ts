import type { NodeRequest } from "@calltrack/transcoding/node";
import type { HttpErrorReason } from "../errors/http-errors.js";

/** Handles the requests to an HTTP server. If a method throws or its promise rejects, only the request that was passed to the method ends. */
export interface RequestHandler {
  handle(request: NodeRequest): void | Promise<void>;
  /**
   * Rejects a request, possibly while it is being handled. After a parse error, the request's method and target are empty, it has no headers,
   * and its connection closes after the response.
   */
  refuse(request: NodeRequest, reason: HttpErrorReason): void;
  /** Sends an error response for a request that failed unexpectedly. Aborts the request if its response has already begun. */
  fail(request: NodeRequest, error: unknown): void;
  /** Called when a request body is complete, before the reader of the body is notified. */
  completeBody?(request: NodeRequest): void;
  /** Called once per request: when Node has received the whole response, or when the client has disconnected. */
  complete?(request: NodeRequest): void;
}
