import type { Pages } from "../http/page.js";
import { createApiDocument, type DocumentConfig } from "./api-document.js";
import { createFilePages } from "./file-pages.js";
import { readPageFiles } from "./page-files.js";

/** The page loads and calls only the server itself, and has no inline or evaluated code. */
const HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Swagger UI's style sheet contains its icons.
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

/** Creates the pages `/openapi.json`, the API's document, and `/docs`, to read and try it. Neither is under the base path. */
export function createApiPages(config: DocumentConfig): Pages {
  return createFilePages(readPageFiles(createApiDocument(config)), HEADERS);
}
