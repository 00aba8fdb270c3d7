import { negotiateCoding } from "@calltrack/transcoding";
import { createNodeContentCodings } from "@calltrack/transcoding/node";
import { createRefusal } from "../errors/http-refusal.js";
import type { RequestHandler } from "../http/request-handler.js";
import type { ServedFile } from "./served-file.js";

type Request = Parameters<RequestHandler>[0];
type Response = Parameters<RequestHandler>[1];

const ALLOW = "GET, HEAD, OPTIONS";

const NOT_ALLOWED = createRefusal(
  405,
  "UNIMPLEMENTED",
  "METHOD_NOT_ALLOWED",
  `this can only be read: it takes ${ALLOW}`,
);

/**
 * Serves files in front of another handler, compressed as the client can take them.
 *
 * @param files by their paths.
 * @param headers that every one of them is sent with.
 */
export function withFiles(
  files: ReadonlyMap<string, ServedFile>,
  headers: Readonly<Record<string, string>>,
  next: RequestHandler,
): RequestHandler {
  const compress = createCompressor();
  return (request, response) => {
    const file = files.get(request.url?.split("?", 1)[0] ?? "");
    if (file === undefined) return next(request, response);
    switch (request.method) {
      case "GET":
      case "HEAD":
        // Without a listener, a failure to compress would end the process.
        return void sendFile(request, response, file, headers, compress).catch(() => response.destroy());
      case "OPTIONS":
        response.writeHead(204, { allow: ALLOW });
        return response.end();
      default:
        response.writeHead(NOT_ALLOWED.statusCode, { "content-type": "application/json", allow: ALLOW });
        return response.end(NOT_ALLOWED.body);
    }
  };
}

/** A file as it is sent. */
interface Sent {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

type Compressor = (file: ServedFile, acceptEncoding: string | undefined) => Promise<Sent>;

/** Compresses each file once for each coding that is asked for. */
function createCompressor(): Compressor {
  const codings = createNodeContentCodings();
  const known = new Map<string, Promise<Uint8Array>>();
  return async (file, acceptEncoding) => {
    const coding = negotiateCoding(acceptEncoding, codings);
    if (coding === undefined) return { bytes: file.bytes, headers: { etag: file.etag } };
    const key = `${coding.name} ${file.etag}`;
    const encoded = known.get(key) ?? coding.encode(file.bytes);
    known.set(key, encoded);
    // Other bytes have another strong validator (RFC 9110 section 8.8.3.3).
    const etag = `${file.etag.slice(0, -1)}-${coding.name}"`;
    return { bytes: await encoded, headers: { etag, "content-encoding": coding.name } };
  };
}

async function sendFile(
  request: Request,
  response: Response,
  file: ServedFile,
  fixedHeaders: Readonly<Record<string, string>>,
  compress: Compressor,
): Promise<void> {
  const { bytes, headers } = await compress(file, request.headers["accept-encoding"]?.toString());
  const common = { ...headers, ...fixedHeaders, vary: "accept-encoding" };
  if (hasTag(request.headers["if-none-match"], headers.etag ?? "")) {
    response.writeHead(304, common);
    response.end();
    return;
  }
  response.writeHead(200, { ...common, "content-type": file.contentType, "content-length": bytes.length });
  response.end(request.method === "HEAD" ? "" : bytes);
}

function hasTag(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes("*");
}
