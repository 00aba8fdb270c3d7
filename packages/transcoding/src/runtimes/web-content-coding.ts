import { bodyTooLarge } from "../http/body-errors.js";
import type { ContentCoding } from "../http/content-coding.js";
import { RequestError } from "../http/request-error.js";

type Format = ConstructorParameters<typeof CompressionStream>[0];

/** The content codings that the runtime's `CompressionStream` has (Compression Standard): br where it knows it, and gzip. */
export function createWebContentCodings(): readonly ContentCoding[] {
  const gzip = createCoding("gzip", "gzip");
  return isSupported("brotli") ? [createCoding("br", "brotli"), gzip] : [gzip];
}

function isSupported(format: Format): boolean {
  try {
    new CompressionStream(format);
    return true;
  } catch {
    return false;
  }
}

function createCoding(name: ContentCoding["name"], format: Format): ContentCoding {
  return {
    name,
    encode: (bytes) => transform(bytes, new CompressionStream(format), Number.POSITIVE_INFINITY),
    decode: async (bytes, maxBytes) => {
      try {
        return await transform(bytes, new DecompressionStream(format), maxBytes);
      } catch (error) {
        if (error instanceof RequestError) throw error;
        throw new RequestError("BODY_MALFORMED", `the body must be valid ${name}, because of its Content-Encoding`);
      }
    },
  };
}

async function transform(
  bytes: Uint8Array,
  through: CompressionStream | DecompressionStream,
  maxBytes: number,
): Promise<Uint8Array> {
  const writer = through.writable.getWriter();
  // The reader below fails with the same error.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  return collectBytes(through.readable, maxBytes);
}

/** All bytes of a stream. Throws the `RequestError` for too large a body, and cancels the stream, at more than `maxBytes`. */
async function collectBytes(stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let result = await reader.read(); !result.done; result = await reader.read()) {
    size += result.value.length;
    if (size > maxBytes) {
      reader.cancel().catch(() => {});
      throw bodyTooLarge(maxBytes);
    }
    chunks.push(result.value);
  }
  return concatBytes(chunks, size);
}

function concatBytes(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  const all = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}
