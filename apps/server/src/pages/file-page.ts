import { createHash } from "node:crypto";
import { extname } from "node:path";
import { negotiateCoding, parseEntityTags } from "@calltrack/transcoding";
import { createNodeContentCodings, type NodeRequest } from "@calltrack/transcoding/node";
import type { SitePage } from "../http/site-page.js";
import { createReadOnlyPage } from "./read-only-page.js";

/** A file, or a function that chooses one for a request. It must choose from few files, because all of them stay in memory. */
export type FileSource = ServedFile | ((request: NodeRequest) => ServedFile);

/** Creates a page that sends a file, compressed if the client accepts it. Every response has the fixed headers. */
export function createFilePage(source: FileSource, fixedHeaders: Readonly<Record<string, string>>): SitePage {
  return createReadOnlyPage(async (request) => {
    const file = typeof source === "function" ? source(request) : source;
    const { bytes, headers } = await encode(file, request.header("accept-encoding"));
    const common = { vary: "accept-encoding", ...headers, ...fixedHeaders };
    if (isCurrent(request.header("if-none-match"), headers.etag)) request.respond(304, common);
    else request.respond(200, { ...common, "content-type": file.contentType }, bytes);
  });
}

const CODINGS = createNodeContentCodings();

/** Compresses each file once for each requested coding, unless it was built in that coding. */
async function encode({ bytes, etag, encoded }: ServedFile, acceptEncoding: string | undefined) {
  const coding = negotiateCoding(acceptEncoding, CODINGS);
  if (coding === undefined) return { bytes, headers: { etag } };
  const { name } = coding;
  const known = encoded.get(name);
  const result = known ?? coding.encode(bytes);
  if (known === undefined) {
    encoded.set(name, result);
    // The next request retries.
    Promise.resolve(result).catch(() => encoded.delete(name));
  }
  // Different bytes need a different strong validator (RFC 9110 section 8.8.3.3).
  return { bytes: await result, headers: { etag: `${etag.slice(0, -1)}-${name}"`, "content-encoding": name } };
}

/** Whether If-None-Match contains the tag, by weak comparison (RFC 9110 section 13.1.2). A malformed header counts as absent. */
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

/** Returns the content type for the extension of a file's name; undefined for other types of files. */
export function contentTypeOf(name: string): string | undefined {
  return CONTENT_TYPES[extname(name)];
}

/** A file that is sent to browsers unchanged. */
export interface ServedFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** A strong entity tag of the bytes (RFC 9110 section 8.8.3). */
  readonly etag: string;
  /** The bytes by content coding, if they were built in that coding or a client requested it. */
  readonly encoded: Map<string, Uint8Array | Promise<Uint8Array>>;
}

export function createFile(
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
