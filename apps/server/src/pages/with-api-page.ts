import type { RequestHandler } from "../http/request-handler.js";
import { createApiDocument, type DocumentConfig } from "./api-document.js";
import { readPageFiles } from "./page-files.js";
import { withFiles } from "./with-files.js";

/** Everything that the page loads and calls is of the server itself; nothing on it is inline or evaluated. */
const HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Swagger UI has its icons in its style sheet.
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
};

/**
 * Serves the API's document at `/openapi.json` and a page at `/docs` on which a person can read and try it, in front of
 * another handler. Neither is under the base path, which the document says where the API is.
 */
export function withApiPage(config: DocumentConfig, next: RequestHandler): RequestHandler {
  return withFiles(readPageFiles(createApiDocument(config)), HEADERS, next);
}
