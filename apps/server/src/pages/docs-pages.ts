import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NodeRequest } from "@calltrack/transcoding/node";
import type { Config } from "../config/config.js";
import type { SitePages } from "../http/site-page.js";
import { createApiDocument, type DocumentConfig } from "./api-document.js";
import { createAssetPages } from "./asset-pages.js";
import { createDocumentChooser } from "./document-file.js";
import { contentTypeOf, createFile, createFilePage, type ServedFile } from "./file-page.js";
import { createPageHeaders } from "./page-headers.js";

/** The folder of the built pages. The relative path is the same from the source, the compiled code and the bundle. */
const FOLDER = fileURLToPath(new URL("../../dist/bundle/api-page/", import.meta.url));

/** Creates `/openapi.json`, the OpenAPI document, and `/docs`, the page to read and try the API. Neither is under the base path. */
export function createDocsPages(config: DocumentConfig & Pick<Config, "publicUrl" | "publicHosts">): SitePages {
  let chooseFile: ReturnType<typeof createDocumentChooser> | undefined;
  const document = (request: NodeRequest) => {
    // Created on the first request: it would take a third of the start-up time, and few servers are asked for it.
    chooseFile ??= createDocumentChooser(createApiDocument(config), config);
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

/** Scalar, which shows the document, adds inline styles to the page. */
const SCALAR_SOURCES = { styles: ["'unsafe-inline'"], images: ["data:"] };

export function readPageFile(name: string): ServedFile {
  return createFile(contentTypeOf(name) ?? "", readFileSync(join(FOLDER, name)));
}
