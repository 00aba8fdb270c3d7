import { BodyBuffer } from "../http/body-buffer.js";
import { createBodyTooLargeError } from "../http/body-errors.js";
import type { ContentCoding } from "../http/content-coding.js";
import { RequestError } from "../http/request-error.js";

type Format = ConstructorParameters<typeof CompressionStream>[0];

/** Creates the content codings of the runtime's `CompressionStream` (Compression Standard): br if it is supported, and gzip. */
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

/** Passes bytes through a stream. Above `maxBytes` of output, cancels the stream and throws a `RequestError`. */
async function transform(
  bytes: Uint8Array,
  { readable, writable }: CompressionStream | DecompressionStream,
  maxBytes: number,
): Promise<Uint8Array> {
  const writer = writable.getWriter();
  // The reader below fails with the same error.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  const reader: ReadableStreamDefaultReader<Uint8Array> = readable.getReader();
  const body = new BodyBuffer();
  for (let result = await reader.read(); !result.done; result = await reader.read()) {
    if (body.size + result.value.length > maxBytes) {
      reader.cancel().catch(() => {});
      throw createBodyTooLargeError(maxBytes);
    }
    body.push(result.value);
  }
  return body.take();
}
