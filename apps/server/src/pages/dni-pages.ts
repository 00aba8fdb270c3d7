import type { NodeRequest } from "@calltrack/transcoding/node";
import type { SitePages } from "../http/site-page.js";
import { createFile, createFilePage } from "./file-page.js";
import { readPackageFile } from "./package-file.js";

/** Any web page may include the scripts, and read them. */
const SCRIPT_HEADERS = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
  "cache-control": "public, max-age=3600",
};

/** Allows pages of other sites to send JSON (https://fetch.spec.whatwg.org/#cors-preflight-fetch). */
const PREFLIGHT_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-allow-headers": "content-type",
  "access-control-max-age": "86400",
};

/**
 * Creates the pages of the script `dni.js`, which other sites include, and of the modules that it loads. They are under the
 * base path, because the script derives the addresses of the API and of the modules from its own.
 */
export function createDniPages(basePath: string): SitePages {
  const createPage = (name: string) => {
    const script = readPackageFile(`@calltrack/dni-script/${name}`);
    return createFilePage(createFile("text/javascript; charset=utf-8", script), SCRIPT_HEADERS);
  };
  return new Map(["dni.js", "dni-page.js", "dni-debug.js"].map((name) => [`${basePath}/${name}`, createPage(name)]));
}

/**
 * Allows scripts of any web page to read the response to a request, also an error, and when to retry
 * (https://fetch.spec.whatwg.org/#http-access-control-allow-origin).
 */
export function allowAnyPage(request: NodeRequest): void {
  request.addHeader("access-control-allow-origin", "*");
  request.addHeader("access-control-expose-headers", "retry-after");
}

/** Answers the CORS preflight of a path that the script calls. */
export function answerPreflight(request: NodeRequest): void {
  request.respond(204, PREFLIGHT_HEADERS);
}
