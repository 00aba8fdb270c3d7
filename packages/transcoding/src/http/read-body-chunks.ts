import { BodyBuffer } from "./body-buffer.js";
import { createDisconnectError } from "./body-errors.js";
import type { BodyReceiver, HttpRequest } from "./http-request.js";

/**
 * Reads the body of a request while it arrives, no faster than the consumer takes the chunks. Joins the pieces that arrive between two reads,
 * because a list of many small pieces would take far more memory than their bytes. Throws a `ConnectError` if the client disconnects. Throws the
 * signal's reason when the signal aborts. If the consumer stops early, the rest of the body is not read.
 */
export async function* readBodyChunks(
  request: Pick<HttpRequest, "hasBody" | "receive" | "consume">,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  signal?.throwIfAborted();
  if (!request.hasBody) return;
  const arrived = new ArrivedBytes();
  const stop = () => arrived.onAbort(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  request.receive(arrived);
  try {
    for (let chunk = await arrived.take(); chunk !== undefined; chunk = await arrived.take()) {
      request.consume(chunk.length);
      yield chunk;
    }
  } finally {
    arrived.onEnd();
    signal?.removeEventListener("abort", stop);
  }
}

/** The bytes of a body that have arrived and that the consumer has not read yet. */
class ArrivedBytes implements BodyReceiver {
  #bytes = new BodyBuffer();
  #hasEnded = false;
  #failure: { readonly error: unknown } | undefined;
  #onChange: (() => void) | undefined;

  onData(chunk: Uint8Array): void {
    if (this.#hasEnded) return;
    this.#bytes.push(chunk);
    this.#onChange?.();
  }

  onEnd(): void {
    this.#hasEnded = true;
    this.#onChange?.();
  }

  onAbort(error: unknown): void {
    this.#failure ??= { error: error ?? createDisconnectError() };
    this.onEnd();
  }

  /** Waits until bytes have arrived, and returns all of them. Returns undefined at the end of the body. */
  async take(): Promise<Uint8Array | undefined> {
    while (this.#bytes.size === 0 && !this.#hasEnded) {
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#bytes.size === 0) return undefined;
    const bytes = this.#bytes.finish();
    this.#bytes = new BodyBuffer();
    return bytes;
  }
}
