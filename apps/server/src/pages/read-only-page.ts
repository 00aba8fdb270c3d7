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
 * Creates a page that answers GET, HEAD and OPTIONS, and refuses other methods.
 *
 * @param read answers GET and HEAD.
 */
export function createReadOnlyPage(read: (request: NodeRequest) => void | Promise<void>): SitePage {
  return (request) => {
    switch (request.method) {
      case "GET":
      case "HEAD":
        return read(request);
      case "OPTIONS":
        return request.respond(204, { allow: ALLOW });
      default:
        return NOT_ALLOWED.answer(request);
    }
  };
}
