import type { NodeRequest } from "@calltrack/transcoding/node";
import type { OpenApiDocument } from "@calltrack/transcoding/openapi";
import type { LimitsSettings } from "../config/limits-settings.js";
import { createFile, type ServedFile } from "./file-page.js";

/** Addresses for which a document is kept. Requests to further ones get a URL without scheme and host. */
const MAX_ADDRESSES = 16;

/**
 * Creates the choice of the OpenAPI document's file: its server URL has the scheme and the host of the request, so that it is the
 * address that the client uses. A trusted proxy tells the scheme in `X-Forwarded-Proto`.
 */
export function chooseDocumentFile(
  document: OpenApiDocument,
  proxies: LimitsSettings["trustedProxies"],
): (request: NodeRequest) => ServedFile {
  const [{ url: basePath } = { url: "/" }] = document.servers;
  const create = (url: string) =>
    createFile("application/json", Buffer.from(JSON.stringify({ ...document, servers: [{ url }] })));
  const relative = create(basePath);
  const known = new Map<string, ServedFile>();
  return (request) => {
    const { peer } = request;
    const host = request.header("host");
    if (host === undefined) return relative;
    const forwarded = proxies(peer.address) ? request.header("x-forwarded-proto") : undefined;
    const isSecure = forwarded === undefined ? peer.isEncrypted : forwarded === "https";
    const url = new URL(basePath, `${isSecure ? "https" : "http"}://${host}`).href.replace(/\/$/, "");
    const file = known.get(url) ?? (known.size < MAX_ADDRESSES ? create(url) : relative);
    if (file !== relative) known.set(url, file);
    return file;
  };
}
