import { createDisconnectError } from "./body-errors.js";
import type { BodyReceiver, HttpRequest } from "./http-request.js";

/**
 * Reads the body of a request as it arrives, with backpressure: no faster than the consumer takes the chunks. Throws if the
 * client disconnects, and throws the reason of the signal when it aborts. After an early return, the rest is not read.
 */
export async function* readChunks(request: HttpRequest, signal?: AbortSignal): AsyncGenerator<Uint8Array, void> {
  signal?.throwIfAborted();
  if (!request.hasBody) return;
  const queue = new ChunkQueue();
  const stop = () => queue.fail(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  request.receive(queue);
  try {
    for (let chunk = await queue.next(); chunk !== undefined; chunk = await queue.next()) {
      request.consume(chunk.length);
      yield chunk;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    queue.close();
  }
}

/** Chunks that have arrived but are not consumed yet. */
class ChunkQueue implements BodyReceiver {
  #chunks: Uint8Array[] = [];
  #state: "open" | "ended" | "failed" | "closed" = "open";
  #error: unknown;
  #wake: (() => void) | undefined;

  /** The next chunk; undefined at the end of the body. */
  async next(): Promise<Uint8Array | undefined> {
    if (this.#chunks.length === 0 && this.#state === "open") {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#state === "failed") throw this.#error;
    return this.#chunks.shift();
  }

  /** Drops the rest of the body. */
  close(): void {
    this.#state = "closed";
    this.#chunks = [];
  }

  /** Drops the rest of the body, and rejects the next read. */
  fail(error: unknown): void {
    if (this.#state === "closed") return;
    this.#state = "failed";
    this.#error = error;
    this.#chunks = [];
    this.#wake?.();
  }

  onData(chunk: Uint8Array): void {
    if (this.#state !== "open") return;
    this.#chunks.push(chunk);
    this.#wake?.();
  }

  onEnd(): void {
    if (this.#state === "open") this.#state = "ended";
    this.#wake?.();
  }

  onAbort(error: Error | undefined): void {
    this.fail(error ?? createDisconnectError());
  }
}
