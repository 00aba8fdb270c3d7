import type { NodeRequest } from "@calltrack/transcoding/node";
import type { OpenApiDocument } from "@calltrack/transcoding/openapi";
import type { Config } from "../config/config.js";
import { createServedFile, type ServedFile } from "./file-page.js";

/** Maximum number of cached documents for hosts that are not in the settings. For further hosts, the server URL is only a path. */
const MAX_OTHERS = 16;

/** The ports that URLs omit, as texts; empty for no port. */
const DEFAULT_PORTS: readonly string[] = ["", "80", "443"];

/**
 * Creates a function that returns the OpenAPI document for a request. The server URL in the document has the scheme and the host of the
 * request, so that it is the address that the client uses. Trusted proxies send the scheme in `X-Forwarded-Proto`.
 */
export function createApiDocumentProvider(
  document: OpenApiDocument,
  { publicUrl, publicHosts, limits }: Pick<Config, "publicUrl" | "publicHosts" | "limits">,
): (request: NodeRequest) => ServedFile {
  const [{ url: basePath } = { url: "/" }] = document.servers;
  const create = (url: string) =>
    createServedFile("application/json", Buffer.from(JSON.stringify({ ...document, servers: [{ url }] })));
  const relative = create(basePath);
  const ownHosts = new Set(
    publicHosts.map(({ name, port }) => (DEFAULT_PORTS.includes(port) ? name : `${name}:${port}`)),
  );
  if (publicUrl !== undefined) ownHosts.add(new URL(publicUrl).host);
  const known = new Map<string, ServedFile>();
  let others = 0;
  return (request) => {
    const { peer } = request;
    const host = request.header("host");
    if (host === undefined) return relative;
    const forwarded = limits.trustedProxies(peer.address) ? request.header("x-forwarded-proto") : undefined;
    const isSecure = forwarded === undefined ? peer.isEncrypted : forwarded === "https";
    const address = new URL(basePath, `${isSecure ? "https" : "http"}://${host}`);
    const url = address.href.replace(/\/$/, "");
    const file = known.get(url);
    if (file !== undefined) return file;
    const isOwn = ownHosts.has(address.host);
    if (!isOwn && others === MAX_OTHERS) return relative;
    if (!isOwn) others++;
    const created = create(url);
    known.set(url, created);
    return created;
  };
}
