import { readFileSync } from "node:fs";
import type { Pages } from "../http/page.js";
import { createApiDocument, type DocumentConfig } from "./api-document.js";
import { createFile, createFilePages, type ServedFile } from "./file-pages.js";
import { readPackageFile } from "./package-file.js";

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

/** Reads the files of the API page, by path: the page itself, and Swagger UI from its package. */
function readPageFiles(apiDocument: unknown): ReadonlyMap<string, ServedFile> {
  const own = (name: string) => readFileSync(new URL(`../../api-page/${name}`, import.meta.url));
  const ofSwagger = (name: string) => readPackageFile(`swagger-ui-dist/${name}`);
  return new Map([
    ["/openapi.json", createFile("application/json", Buffer.from(JSON.stringify(apiDocument)))],
    ["/docs", createFile("text/html; charset=utf-8", own("index.html"))],
    ["/docs/api-page.css", createFile("text/css; charset=utf-8", own("api-page.css"))],
    ["/docs/api-page.js", createFile("text/javascript; charset=utf-8", own("api-page.js"))],
    ["/docs/icon.svg", createFile("image/svg+xml", own("icon.svg"))],
    ["/docs/swagger-ui.css", createFile("text/css; charset=utf-8", ofSwagger("swagger-ui.css"))],
    ["/docs/swagger-ui.js", createFile("text/javascript; charset=utf-8", ofSwagger("swagger-ui-bundle.js"))],
  ]);
}
