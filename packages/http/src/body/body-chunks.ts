import type { BodyReceiver, Exchange } from "../exchange.js";
import { ClientGoneError } from "./body-errors.js";

/**
 * The body of a request in the pieces in which it arrives; the client may send more as they are taken. Call it at most once.
 *
 * @returns an iterable that throws `ClientGoneError`, or the error with which the server refused the body.
 */
export async function* bodyChunks(exchange: Exchange): AsyncIterable<Buffer> {
  if (exchange.body !== undefined) {
    if (exchange.body.length > 0) yield exchange.body;
    return;
  }
  const queue = new ChunkQueue();
  exchange.receive(queue);
  for (;;) {
    const chunk = queue.take();
    if (chunk !== undefined) {
      yield chunk;
      exchange.consume(chunk.length);
    } else if (queue.isOver) {
      return;
    } else {
      await queue.more();
    }
  }
}

class ChunkQueue implements BodyReceiver {
  readonly #chunks: Buffer[] = [];
  #isOver = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The next piece that has arrived; undefined if there is none. Throws once the body was aborted. */
  take(): Buffer | undefined {
    if (this.#error !== undefined) throw this.#error;
    return this.#chunks.shift();
  }

  /** Resolves when there is another piece, or the body is over. */
  more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  onData(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#wake?.();
  }

  onEnd(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  onAbort(error: Error | undefined): void {
    this.#error = error ?? new ClientGoneError();
    this.#wake?.();
  }
}
