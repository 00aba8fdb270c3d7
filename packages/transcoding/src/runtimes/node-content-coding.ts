import { bodyTooLarge } from "../http/body-errors.js";
import type { ContentCoding } from "../http/content-coding.js";
import { RequestError } from "../http/request-error.js";

type Transform = (
  bytes: Uint8Array,
  options: { maxOutputLength?: number; chunkSize?: number },
  callback: (error: Error | null, result: Uint8Array) => void,
) => void;

/** Of what a body becomes, so much is made at a time, by its size: few large pieces take less time, but all of each is reserved. */
const SMALLEST_CHUNK = 16 * 1024;
const LARGEST_CHUNK = 256 * 1024;

/** Runs work that decompresses `bytes` bytes, perhaps later; rejects without running it where it does not have the time. */
export type DecodeScheduler = <T>(bytes: number, work: () => Promise<T>) => Promise<T>;

/**
 * Few bodies are decompressed at a time, by all codings together: each may become as large as is allowed, and what a compression bomb
 * has become is garbage until it is collected.
 */
const inTurn = createTurns(2);

/**
 * The content codings of Node's zlib, the preferred first: zstd where Node has it (from 22.15 on), then br at a level meant
 * for answers made on the spot, then gzip.
 *
 * @param schedule when bodies are decompressed. Default: two at a time, in the order in which they come.
 */
export function createNodeContentCodings(schedule: DecodeScheduler = inTurn): readonly ContentCoding[] {
  // Not a static import: the rest of the package is to load in runtimes that have no zlib.
  const zlib = process.getBuiltinModule("node:zlib");
  const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
  const codings = [
    createCoding("br", zlib.brotliCompress, zlib.brotliDecompress, brotli, schedule),
    createCoding("gzip", zlib.gzip, zlib.gunzip, {}, schedule),
  ];
  return "zstdCompress" in zlib
    ? [createCoding("zstd", zlib.zstdCompress, zlib.zstdDecompress, {}, schedule), ...codings]
    : codings;
}

function createCoding(
  name: ContentCoding["name"],
  compress: Transform,
  decompress: Transform,
  options: object,
  schedule: DecodeScheduler,
): ContentCoding {
  return {
    name,
    encode: (bytes) =>
      new Promise((resolve, reject) => {
        compress(bytes, options, (error, result) => (error === null ? resolve(result) : reject(error)));
      }),
    decode: (bytes, maxBytes) =>
      schedule(
        bytes.length,
        () =>
          new Promise((resolve, reject) => {
            const chunkSize = Math.min(LARGEST_CHUNK, Math.max(SMALLEST_CHUNK, 4 * bytes.length));
            decompress(bytes, { maxOutputLength: maxBytes, chunkSize }, (error, result) =>
              error === null ? resolve(result) : reject(decodeError(error, name, maxBytes)),
            );
          }),
      ),
  };
}

/** Has pieces of work wait until no more than so many others are under way. */
function createTurns(most: number): DecodeScheduler {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return async (_, work) => {
    if (underWay >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else underWay++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) underWay--;
      else next();
    }
  };
}

function decodeError(error: Error & { code?: string }, name: string, maxBytes: number): RequestError {
  return error.code === "ERR_BUFFER_TOO_LARGE"
    ? bodyTooLarge(maxBytes)
    : new RequestError("BODY_MALFORMED", `the body must be valid ${name}, because of its Content-Encoding`);
}
