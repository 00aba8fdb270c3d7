import type { NodeRequest } from "@calltrack/transcoding/node";
import type { RefusalReason } from "../errors/http-errors.js";

/** Handles the requests to a server. An exception or a rejected promise ends only the request. */
export interface RequestHandler {
  handle(request: NodeRequest): void | Promise<void>;
  /**
   * Rejects a request, possibly while it is being handled. After a parse error, the request has an empty method and target and no headers,
   * and the connection closes after the response.
   */
  refuse(request: NodeRequest, reason: RefusalReason): void;
  /** Answers a request that failed with an unexpected error, or aborts it if its response has begun. */
  fail(request: NodeRequest, error: unknown): void;
  /** Called when the body of a request is complete, before the handler that reads the body is notified. */
  completeBody?(request: NodeRequest): void;
  /** Called once: when the whole response has been handed to Node, or when the client has disconnected. */
  complete?(request: NodeRequest): void;
}
