import type { NodeRequest } from "@calltrack/transcoding/node";
import { Code } from "@connectrpc/connect";
import { createHttpError } from "../errors/http-errors.js";
import type { SitePage } from "../http/site-page.js";

const ALLOW = "GET, HEAD, OPTIONS";

const NOT_ALLOWED = createHttpError(
  405,
  Code.Unimplemented,
  "METHOD_NOT_ALLOWED",
  `this page is read-only: it accepts ${ALLOW}`,
  undefined,
  { allow: ALLOW },
);

/**
 * Creates a page that answers GET, HEAD and OPTIONS, and rejects other methods. It discards bodies as they arrive: Node would keep all pieces
 * until the response, which may wait for the database. `read` answers GET and HEAD.
 */
export function createReadOnlyPage(read: (request: NodeRequest) => void | Promise<void>): SitePage {
  return (request) => {
    if (request.method === "GET" || request.method === "HEAD") {
      request.receive({ onData: (chunk) => request.consume(chunk.length), onEnd() {}, onAbort() {} });
      return read(request);
    }
    if (request.method === "OPTIONS") return request.respond(204, { allow: ALLOW });
    return NOT_ALLOWED.answer(request);
  };
}
