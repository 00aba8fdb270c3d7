import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NodeRequest } from "@calltrack/transcoding/node";
import type { Config } from "../config/config.js";
import type { PageHandlersByPath } from "../http/page-handler.js";
import { type ApiDocumentConfig, createApiDocument } from "./api-document.js";
import { createApiDocumentProvider } from "./api-document-chooser.js";
import { createAssetPages } from "./asset-pages.js";
import { createFilePage, createServedFile, findContentType, type ServedFile } from "./file-page.js";
import { createPageHeaders } from "./page-headers.js";

/** The folder of the built API page. Its relative path is the same from the source, the compiled code and the bundle. */
const FOLDER = fileURLToPath(new URL("../../dist/bundle/api-page/", import.meta.url));

/** Creates the OpenAPI document at `/openapi.json`, and the page at `/docs` on which users read and try the API. Neither is under the base path. */
export function createDocsPages(
  config: ApiDocumentConfig & Pick<Config, "publicUrl" | "publicHosts">,
): PageHandlersByPath {
  let chooseFile: ReturnType<typeof createApiDocumentProvider> | undefined;
  const document = (request: NodeRequest) => {
    // Creates the document on the first request. Its creation would take a third of the start-up time, and few servers need the document.
    chooseFile ??= createApiDocumentProvider(createApiDocument(config), config);
    return chooseFile(request);
  };
  const headers = createPageHeaders();
  return new Map([
    ["/openapi.json", createFilePage(document, headers)],
    ["/docs", createFilePage(readDocsFile("index.html"), createPageHeaders(SCALAR_SOURCES))],
    ...["start.css", "icon.svg", "without-eval.js"].map(
      (name) => [`/docs/${name}`, createFilePage(readDocsFile(name), headers)] as const,
    ),
    ...createAssetPages(join(FOLDER, "assets")).map(([name, asset]) => [`/docs/assets/${name}`, asset] as const),
  ]);
}

/** Permits inline styles, which Scalar adds to the page when it shows the document. */
const SCALAR_SOURCES = { styles: ["'unsafe-inline'"], images: ["data:"] };

export function readDocsFile(name: string): ServedFile {
  return createServedFile(findContentType(name) ?? "", readFileSync(join(FOLDER, name)));
}
