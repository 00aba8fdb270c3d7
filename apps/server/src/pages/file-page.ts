import { createHash } from "node:crypto";
import { extname } from "node:path";
import { negotiateCoding, parseEntityTags } from "@calltrack/transcoding";
import { createNodeContentCodings, type NodeRequest } from "@calltrack/transcoding/node";
import type { PageHandler } from "../http/page-handler.js";
import { createReadOnlyPage } from "./read-only-page.js";

/** A file, or a function that chooses a file for each request. There must be few files, because all of them stay in memory. */
export type ServedFileSource = ServedFile | ((request: NodeRequest) => ServedFile);

/** Creates a page that sends a file, compressed if the client accepts a compression. Every response has the fixed headers. */
export function createFilePage(source: ServedFileSource, fixedHeaders: Readonly<Record<string, string>>): PageHandler {
  return createReadOnlyPage(async (request) => {
    const file = typeof source === "function" ? source(request) : source;
    const { bytes, headers } = await encode(file, request.header("accept-encoding"));
    const common = { vary: "accept-encoding", ...headers, ...fixedHeaders };
    if (isCurrent(request.header("if-none-match"), headers.etag)) request.respond(304, common);
    else request.respond(200, { ...common, "content-type": file.contentType }, bytes);
  });
}

const CODINGS = createNodeContentCodings();

/**
 * Returns the bytes and headers of a file in the content coding that the client prefers. Compresses the file on the first request for the coding,
 * unless the build already compressed it.
 */
async function encode({ bytes, etag, encoded }: ServedFile, acceptEncoding: string | undefined) {
  const coding = negotiateCoding(acceptEncoding, CODINGS);
  if (coding === undefined) return { bytes, headers: { etag } };
  const { name } = coding;
  const known = encoded.get(name);
  const result = known ?? coding.encode(bytes);
  if (known === undefined) {
    encoded.set(name, result);
    // Removes a failed compression, so that the next request retries it.
    Promise.resolve(result).catch(() => encoded.delete(name));
  }
  // Each encoding of the file needs its own strong entity tag (RFC 9110 section 8.8.3.3).
  return { bytes: await result, headers: { etag: `${etag.slice(0, -1)}-${name}"`, "content-encoding": name } };
}

/** Whether an If-None-Match header contains an entity tag, by weak comparison (RFC 9110 section 13.1.2). A malformed header counts as absent. */
function isCurrent(ifNoneMatch = "", etag: string): boolean {
  const tags = parseEntityTags(ifNoneMatch) ?? [];
  return tags === "*" || tags.some(({ opaqueTag }) => opaqueTag === etag);
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Returns the content type for the extension of a file name. Undefined for an extension that no served file has. */
export function findContentType(name: string): string | undefined {
  return CONTENT_TYPES[extname(name)];
}

/** A file in memory that the server sends to browsers. */
export interface ServedFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** A strong entity tag, which contains a hash of the bytes (RFC 9110 section 8.8.3). */
  readonly etag: string;
  /** The compressed bytes, keyed by content coding. Contains the codings of the build, and the codings that clients have requested. */
  readonly encoded: Map<string, Uint8Array | Promise<Uint8Array>>;
}

export function createServedFile(
  contentType: string,
  bytes: Uint8Array,
  encoded: ServedFile["encoded"] = new Map(),
): ServedFile {
  return {
    contentType,
    bytes,
    encoded,
    etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
  };
}
