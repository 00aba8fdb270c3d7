import { Readable } from "node:stream";
import { createDisconnectError } from "./body-errors.js";
import type { HttpRequest } from "./http-request.js";

/**
 * Reads the body of a request as it arrives, with backpressure: no faster than the consumer takes the chunks. Throws if the
 * client disconnects, and throws the reason of the signal when it aborts. After an early return, the rest is not read.
 */
export async function* readChunks(request: HttpRequest, signal?: AbortSignal): AsyncGenerator<Uint8Array, void> {
  signal?.throwIfAborted();
  if (!request.hasBody) return;
  // In object mode, a read returns one chunk instead of a copy of all.
  const chunks = new Readable({ objectMode: true, read() {} });
  const stop = () => chunks.destroy(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  request.receive({
    onData: (chunk) => void chunks.push(chunk),
    onEnd: () => void chunks.push(null),
    onAbort: (error) => void chunks.destroy(error ?? createDisconnectError()),
  });
  try {
    for await (const chunk of chunks) {
      request.consume(chunk.length);
      yield chunk;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
