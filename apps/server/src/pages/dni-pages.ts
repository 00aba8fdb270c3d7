import type { NodeRequest } from "@calltrack/transcoding/node";
import type { PageHandlersByPath } from "../http/page-handler.js";
import { createFilePage, createServedFile } from "./file-page.js";
import { readPackageFile } from "./package-file.js";

/** Allows web pages of any origin to load the scripts, and caches to keep them for an hour. */
const SCRIPT_HEADERS = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
  "cache-control": "public, max-age=3600",
};

/**
 * The headers that cross-origin requests to public methods may have: the content type, the documented timeout and request id, and the headers of
 * Connect and gRPC-Web clients (https://connectrpc.com/docs/cors, https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md).
 */
const REQUEST_HEADERS = [
  ...["content-type", "x-server-timeout", "x-request-id", "connect-protocol-version", "connect-timeout-ms"],
  ...["grpc-timeout", "x-grpc-web", "x-user-agent"],
];

/** The headers that scripts of other origins may read in responses: when to retry, the request id, and the result over gRPC-Web. */
const RESPONSE_HEADERS = ["retry-after", "x-request-id", "grpc-status", "grpc-message", "grpc-status-details-bin"];

/** Allows web pages of other origins to call public methods (https://fetch.spec.whatwg.org/#cors-preflight-fetch). */
const PREFLIGHT_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-allow-headers": REQUEST_HEADERS.join(", "),
  "access-control-max-age": "86400",
};

/**
 * Creates the pages for the script `dni.js`, which other web sites include, and for the modules that the script loads. They are under the base
 * path, because the script derives the addresses of the API and of the modules from its own address.
 */
export function createDniPages(basePath: string): PageHandlersByPath {
  const createPage = (name: string) => {
    const script = readPackageFile(`@calltrack/dni-script/${name}`);
    return createFilePage(createServedFile("text/javascript; charset=utf-8", script), SCRIPT_HEADERS);
  };
  return new Map(["dni.js", "dni-page.js", "dni-debug.js"].map((name) => [`${basePath}/${name}`, createPage(name)]));
}

/** Lets scripts of any origin read the response, even an error response (https://fetch.spec.whatwg.org/#http-access-control-allow-origin). */
export function allowAnyOrigin(request: NodeRequest): void {
  request.addHeader("access-control-allow-origin", "*");
  request.addHeader("access-control-expose-headers", RESPONSE_HEADERS.join(", "));
}

/** Answers a CORS preflight request for a public method, over any protocol. */
export function answerCorsPreflight(request: NodeRequest): void {
  request.respond(204, PREFLIGHT_HEADERS);
}
