import type { Pages } from "../http/page.js";
import { createApiDocument, type DocumentConfig } from "./api-document.js";
import { createFilePages } from "./file-pages.js";
import { readPageFiles } from "./page-files.js";

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

/** The API's document at `/openapi.json`, and a page at `/docs` to read and try it. Neither is under the base path. */
export function createApiPages(config: DocumentConfig): Pages {
  return createFilePages(readPageFiles(createApiDocument(config)), HEADERS);
}
