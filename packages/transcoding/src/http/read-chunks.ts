import { createDisconnectError } from "./body-errors.js";
import type { BodyReceiver, HttpRequest } from "./http-request.js";

/**
 * Reads the body of a request as it arrives, with backpressure: no faster than the consumer takes the chunks. Throws if the
 * client disconnects. After an early return, the rest is not read.
 */
export async function* readChunks(request: HttpRequest): AsyncGenerator<Uint8Array, void> {
  if (!request.hasBody) return;
  if (request.body !== undefined) {
    yield request.body;
    return;
  }
  const queue = new ChunkQueue();
  request.receive(queue);
  try {
    for (let chunk = await queue.next(); chunk !== undefined; chunk = await queue.next()) {
      request.consume(chunk.length);
      yield chunk;
    }
  } finally {
    queue.close();
  }
}

/** Chunks that have arrived but are not consumed yet. */
class ChunkQueue implements BodyReceiver {
  #chunks: Uint8Array[] = [];
  #state: "open" | "ended" | "closed" | Error = "open";
  #wake: (() => void) | undefined;

  /** The next chunk; undefined at the end of the body. */
  async next(): Promise<Uint8Array | undefined> {
    if (this.#chunks.length === 0 && this.#state === "open") {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#state instanceof Error) throw this.#state;
    return this.#chunks.shift();
  }

  /** Drops the rest of the body. */
  close(): void {
    this.#state = "closed";
    this.#chunks = [];
  }

  onData(chunk: Uint8Array): void {
    if (this.#state === "closed") return;
    this.#chunks.push(chunk);
    this.#wake?.();
  }

  onEnd(): void {
    this.#settle("ended");
  }

  onAbort(error: Error | undefined): void {
    this.#settle(error ?? createDisconnectError());
  }

  #settle(state: "ended" | Error): void {
    if (this.#state !== "closed") this.#state = state;
    this.#wake?.();
  }
}
