import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { RequestHandler } from "../http/request-handler.js";
import { createFile } from "./served-file.js";
import { withFiles } from "./with-files.js";

/** Any web page may include the script, and read it. */
const SCRIPT_HEADERS = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
  "cache-control": "public, max-age=3600",
};

/** What a browser asks for before a page sends JSON to another site (https://fetch.spec.whatwg.org/#cors-preflight-fetch). */
const PREFLIGHT_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-allow-headers": "content-type",
  "access-control-max-age": "86400",
};

/**
 * Serves what the pages of other sites need, in front of another handler: the script `dni.js`, and leave to ask for the paths of
 * properties. All of it is under the base path, as the script finds the API by its own address.
 */
export function withDniPages(basePath: string, next: RequestHandler): RequestHandler {
  const script = readFileSync(createRequire(import.meta.url).resolve("@calltrack/dni-script/dni.js"));
  const files = new Map([[`${basePath}/dni.js`, createFile("text/javascript; charset=utf-8", script)]]);
  const properties = ["dni_manager", "dni-manager"].map((name) => `${basePath}/${name}/properties/`);
  return withFiles(files, SCRIPT_HEADERS, (request, response) => {
    const isPreflight = request.method === "OPTIONS" && "access-control-request-method" in request.headers;
    if (!isPreflight || !properties.some((path) => request.url?.startsWith(path))) return next(request, response);
    response.writeHead(204, PREFLIGHT_HEADERS);
    response.end();
  });
}
