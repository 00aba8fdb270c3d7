import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NodeRequest } from "@calltrack/transcoding/node";
import type { Config } from "../config/config.js";
import type { SitePages } from "../http/site-page.js";
import { createApiDocument, type DocumentConfig } from "./api-document.js";
import { createAssetPages } from "./asset-pages.js";
import { chooseDocumentFile } from "./document-file.js";
import { contentTypeOf, createFile, createFilePage, type ServedFile } from "./file-page.js";
import { createPageHeaders } from "./page-headers.js";

/** The folder of the built pages, from the source, the compiled code and the bundle. */
const FOLDER = fileURLToPath(new URL("../../dist/bundle/api-page/", import.meta.url));

/** Creates the pages `/openapi.json`, the API's document, and `/docs`, to read and try it. Neither is under the base path. */
export function createDocsPages(config: DocumentConfig & Pick<Config, "publicUrl" | "publicHosts">): SitePages {
  let chooseFile: ReturnType<typeof chooseDocumentFile> | undefined;
  const document = (request: NodeRequest) => {
    // Creating the document takes a third of a server's start, and few servers are asked for it.
    chooseFile ??= chooseDocumentFile(createApiDocument(config), config);
    return chooseFile(request);
  };
  const headers = createPageHeaders();
  return new Map([
    ["/openapi.json", createFilePage(document, headers)],
    ["/docs", createFilePage(readPageFile("index.html"), createPageHeaders(SCALAR_SOURCES))],
    ...["start.css", "icon.svg", "without-eval.js"].map(
      (name) => [`/docs/${name}`, createFilePage(readPageFile(name), headers)] as const,
    ),
    ...createAssetPages(join(FOLDER, "assets")).map(([name, asset]) => [`/docs/assets/${name}`, asset] as const),
  ]);
}

/** Scalar adds styles to the page. */
const SCALAR_SOURCES = { styles: ["'unsafe-inline'"], images: ["data:"] };

/** Reads a file of the pages. */
export function readPageFile(name: string): ServedFile {
  return createFile(contentTypeOf(name) ?? "", readFileSync(join(FOLDER, name)));
}
