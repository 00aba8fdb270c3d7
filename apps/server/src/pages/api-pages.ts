import { readdirSync, readFileSync } from "node:fs";
import type { NodeRequest } from "@calltrack/transcoding/node";
import type { SitePages } from "../http/site-page.js";
import { createApiDocument, type DocumentConfig } from "./api-document.js";
import { chooseDocumentFile } from "./document-file.js";
import { contentTypeOf, createFile, createFilePage, type ServedFile } from "./file-page.js";
import { createPageHeaders } from "./page-headers.js";

const FOLDER = new URL("../../api-page/", import.meta.url);

/**
 * Creates the pages `/openapi.json`, the API's document, and `/docs`, to read and try it. Neither is under the base path.
 *
 * The page has no dependency. Swagger UI 5.35 has neither a sidebar nor a search over operations, shows samples only after a
 * request, and freezes at long responses. Scalar 1.46 has all of these, also on a phone. But our policy blocks the styles that it
 * adds to the page, so its responses stay empty, and its 3.5 MB come with 158 MB of packages. Neither fills in existing ids.
 */
export function createApiPages(config: DocumentConfig): SitePages {
  let chooseFile: ReturnType<typeof chooseDocumentFile> | undefined;
  const document = (request: NodeRequest) => {
    // Creating the document takes a third of a server's start, and few servers are asked for it.
    chooseFile ??= chooseDocumentFile(createApiDocument(config), config.limits.trustedProxies);
    return chooseFile(request);
  };
  const headers = createPageHeaders();
  const assets = readdirSync(FOLDER).filter((name) => !name.endsWith(".html"));
  return new Map([
    ["/openapi.json", createFilePage(document, headers)],
    ["/docs", createFilePage(readPageFile("index.html"), headers)],
    ...assets.map((name) => [`/docs/${name}`, createFilePage(readPageFile(name), headers)] as const),
  ]);
}

/** Reads a file of the pages. */
export function readPageFile(name: string): ServedFile {
  return createFile(contentTypeOf(name) ?? "", readFileSync(new URL(name, FOLDER)));
}
