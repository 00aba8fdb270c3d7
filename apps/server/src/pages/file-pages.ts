import { createHash } from "node:crypto";
import { extname } from "node:path";
import type { Exchange } from "@calltrack/http";
import { negotiateCoding, parseEntityTags } from "@calltrack/transcoding";
import { createNodeContentCodings } from "@calltrack/transcoding/node";
import type { Pages } from "../http/page.js";
import { createReadOnlyPage } from "./read-only-page.js";

/** A file, or the choice of one by request. A choice is one of few files, because all are kept in memory. */
export type FileSource = ServedFile | ((exchange: Exchange) => ServedFile);

/**
 * Creates pages that send files, compressed if the client accepts it.
 *
 * @param files by their paths.
 * @param headers added to every response.
 */
export function createFilePages(
  files: ReadonlyMap<string, FileSource>,
  headers: Readonly<Record<string, string>>,
): Pages {
  const compress = createCompressor();
  return new Map(
    Array.from(files, ([path, file]) => [
      path,
      createReadOnlyPage((exchange) =>
        send(exchange, typeof file === "function" ? file(exchange) : file, headers, compress),
      ),
    ]),
  );
}

/** A file in one content coding. */
interface Sent {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

type Compressor = (file: ServedFile, acceptEncoding: string | undefined) => Promise<Sent>;

/** Compresses each file once for each requested coding, unless it was built in that coding. */
function createCompressor(): Compressor {
  const codings = createNodeContentCodings();
  const known = new Map<string, Promise<Uint8Array>>();
  return async (file, acceptEncoding) => {
    const coding = negotiateCoding(acceptEncoding, codings);
    if (coding === undefined) return { bytes: file.bytes, headers: { etag: file.etag } };
    const key = `${coding.name} ${file.etag}`;
    const encoded = file.encoded.get(coding.name) ?? known.get(key) ?? coding.encode(file.bytes);
    if (encoded instanceof Promise) known.set(key, encoded);
    // Different bytes need a different strong validator (RFC 9110 section 8.8.3.3).
    const etag = `${file.etag.slice(0, -1)}-${coding.name}"`;
    return { bytes: await encoded, headers: { etag, "content-encoding": coding.name } };
  };
}

async function send(
  exchange: Exchange,
  file: ServedFile,
  fixedHeaders: Readonly<Record<string, string>>,
  compress: Compressor,
): Promise<void> {
  const { bytes, headers } = await compress(file, exchange.headers["accept-encoding"]?.toString());
  const common = { ...headers, ...fixedHeaders, vary: "accept-encoding" };
  if (isCurrent(exchange.headers["if-none-match"], headers.etag ?? "")) exchange.respond(304, common);
  else exchange.respond(200, { ...common, "content-type": file.contentType }, bytes);
}

/** Whether If-None-Match names the tag, by weak comparison (RFC 9110 section 13.1.2). */
function isCurrent(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = parseEntityTags(ifNoneMatch ?? "");
  return tags === "*" || tags.some(({ opaqueTag }) => opaqueTag === etag);
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Returns the content type for the ending of a file's name; undefined if the pages have no such files. */
export function contentTypeOf(name: string): string | undefined {
  return CONTENT_TYPES[extname(name)];
}

/** A file sent to browsers unchanged. */
export interface ServedFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** A strong entity tag of the bytes (RFC 9110 section 8.8.3). */
  readonly etag: string;
  /** The bytes in the content codings that were prepared at build time, by the name of the coding. */
  readonly encoded: ReadonlyMap<string, Uint8Array>;
}

/** Creates a file. */
export function createFile(
  contentType: string,
  bytes: Uint8Array,
  encoded: ReadonlyMap<string, Uint8Array> = new Map(),
): ServedFile {
  return {
    contentType,
    bytes,
    encoded,
    etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
  };
}
