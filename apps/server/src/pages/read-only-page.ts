import type { NodeRequest } from "@calltrack/transcoding/node";
import { Code } from "@connectrpc/connect";
import { createHttpError } from "../errors/http-errors.js";
import type { PageHandler } from "../http/page-handler.js";

const ALLOW = "GET, HEAD, OPTIONS";

const NOT_ALLOWED = createHttpError(
  405,
  Code.Unimplemented,
  "METHOD_NOT_ALLOWED",
  `this page is read-only: use one of the methods ${ALLOW}`,
  undefined,
  { allow: ALLOW },
);

/**
 * Creates a page that answers GET and HEAD with `read`, answers OPTIONS, and rejects other methods. Discards request bodies as they arrive,
 * because Node would keep them in memory until the response, which may wait for the database.
 */
export function createReadOnlyPage(read: (request: NodeRequest) => void | Promise<void>): PageHandler {
  return (request) => {
    if (request.method === "GET" || request.method === "HEAD") {
      request.receive({ onData: (chunk) => request.consume(chunk.length), onEnd() {}, onAbort() {} });
      return read(request);
    }
    if (request.method === "OPTIONS") return request.respond(204, { allow: ALLOW });
    return NOT_ALLOWED.answer(request);
  };
}
