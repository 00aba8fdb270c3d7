import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { createBodyTooLargeError } from "../http/body-errors.js";
import type { ContentCoding } from "../http/content-coding.js";
import { RequestError } from "../http/request-error.js";

type Compress = (bytes: Uint8Array, options: object) => Promise<Uint8Array>;
type Decompress = (bytes: Uint8Array, options: DecompressOptions) => Promise<Decompressed>;
type DecompressOptions = { maxOutputLength: number; chunkSize: number; info: true };

/** The result of Node's functions with the option `info`. `bytesWritten` is the number of compressed bytes that were decompressed. */
interface Decompressed {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

/** The minimum and maximum size of zlib's output chunks. Large chunks are faster, but zlib allocates each chunk at its full size. */
const MIN_CHUNK_BYTES = 16 * 1024;
const MAX_CHUNK_BYTES = 256 * 1024;

/** Runs `work`, which decompresses `bytes` bytes, when capacity is free. Rejects without running `work` if the wait for capacity is too long. */
export type DecompressionScheduler = <T>(bytes: number, work: () => Promise<T>) => Promise<T>;

/** Limits concurrent decompression over all codings, because decompressed bodies occupy memory until they are garbage-collected. */
const inTurn = createScheduler(2);

/**
 * Creates the content codings that Node's zlib supports, the preferred one first: zstd (from Node.js 22.15 on), br at quality 4, which suits
 * dynamic responses, and gzip.
 *
 * @param schedule runs each decompression. Default: decompresses two bodies at a time, in order of arrival.
 */
export function createNodeContentCodings(schedule: DecompressionScheduler = inTurn): readonly ContentCoding[] {
  const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
  const codings = [
    createCoding("br", promisify(zlib.brotliCompress), withInfo(zlib.brotliDecompress), brotli, schedule),
    createCoding("gzip", promisify(zlib.gzip), withInfo(zlib.gunzip), {}, schedule),
  ];
  return "zstdCompress" in zlib
    ? [createCoding("zstd", promisify(zlib.zstdCompress), withInfo(zlib.zstdDecompress), {}, schedule), ...codings]
    : codings;
}

/** Converts a function of zlib to one that returns a promise. The casts are needed because Node's types do not contain the option `info`. */
function withInfo(decompress: typeof zlib.gunzip | typeof zlib.zstdDecompress): Decompress {
  return promisify(decompress as typeof zlib.gunzip) as unknown as Decompress;
}

function createCoding(
  name: ContentCoding["name"],
  compress: Compress,
  decompress: Decompress,
  options: object,
  schedule: DecompressionScheduler,
): ContentCoding {
  return {
    name,
    encode: (bytes) => compress(bytes, options),
    decode: (bytes, maxBytes) =>
      schedule(bytes.length, async () => {
        const chunkSize = Math.min(MAX_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, 4 * bytes.length));
        try {
          const { buffer, engine } = await decompress(bytes, { maxOutputLength: maxBytes, chunkSize, info: true });
          // Node ignores data after the end of br and zstd. It rejects data after the end of gzip, except zeros, which are padding.
          if (name === "gzip" || engine.bytesWritten === bytes.length) return buffer;
        } catch (error) {
          throw decodeError(error as NodeJS.ErrnoException, name, maxBytes);
        }
        throw createMalformedError(name);
      }),
  };
}

function createScheduler(concurrency: number): DecompressionScheduler {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (_, work) => {
    if (running >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

function decodeError(error: NodeJS.ErrnoException, name: string, maxBytes: number): RequestError {
  return error.code === "ERR_BUFFER_TOO_LARGE" ? createBodyTooLargeError(maxBytes) : createMalformedError(name);
}

function createMalformedError(name: string): RequestError {
  return new RequestError("BODY_MALFORMED", `the body must be valid ${name}, because of its Content-Encoding`);
}
