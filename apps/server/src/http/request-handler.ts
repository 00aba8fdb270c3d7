import type { NodeRequest } from "@calltrack/transcoding/node";
import type { RefusalReason } from "../errors/http-errors.js";

/** Handles the requests of a server. An exception or a rejection ends only the request. */
export interface RequestHandler {
  handle(request: NodeRequest): void | Promise<void>;
  /**
   * Responds to a request that the server refuses, possibly while it is being handled. After a parse error, the request has an empty
   * method and target and no headers, and the connection closes after the response.
   */
  refuse(request: NodeRequest, reason: RefusalReason): void;
  /** Responds to a request that failed because of an unexpected error, or aborts it. */
  fail(request: NodeRequest, error: unknown): void;
  /** Called when the body of a request is complete, before its receiver is told. */
  completeBody?(request: NodeRequest): void;
  /** Called once when the whole response was handed to Node, or the client has disconnected. */
  complete?(request: NodeRequest): void;
}
