import { bodyTooLarge } from "../calls/read-body.js";
import type { ContentCoding } from "../responses/content-coding.js";
import { RequestError } from "../responses/request-error.js";

type Transform = (
  bytes: Uint8Array,
  options: { maxOutputLength?: number },
  callback: (error: Error | null, result: Uint8Array) => void,
) => void;

/**
 * The content codings of Node's zlib, the preferred first: zstd where Node has it (from 22.15 on), then br at a level meant
 * for answers made on the spot, then gzip.
 */
export function createNodeContentCodings(): readonly ContentCoding[] {
  // Not a static import: the rest of the package is to load in runtimes that have no zlib.
  const zlib = process.getBuiltinModule("node:zlib");
  const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
  const codings = [
    createCoding("br", zlib.brotliCompress, zlib.brotliDecompress, brotli),
    createCoding("gzip", zlib.gzip, zlib.gunzip, {}),
  ];
  return "zstdCompress" in zlib
    ? [createCoding("zstd", zlib.zstdCompress, zlib.zstdDecompress, {}), ...codings]
    : codings;
}

function createCoding(
  name: ContentCoding["name"],
  compress: Transform,
  decompress: Transform,
  options: object,
): ContentCoding {
  return {
    name,
    encode: (bytes) =>
      new Promise((resolve, reject) => {
        compress(bytes, options, (error, result) => (error === null ? resolve(result) : reject(error)));
      }),
    decode: (bytes, maxBytes) =>
      new Promise((resolve, reject) => {
        decompress(bytes, { maxOutputLength: maxBytes }, (error, result) =>
          error === null ? resolve(result) : reject(decodeError(error, name, maxBytes)),
        );
      }),
  };
}

function decodeError(error: Error & { code?: string }, name: string, maxBytes: number): RequestError {
  return error.code === "ERR_BUFFER_TOO_LARGE"
    ? bodyTooLarge(maxBytes)
    : new RequestError("BODY_MALFORMED", `the body must be valid ${name}, as its Content-Encoding says`);
}
