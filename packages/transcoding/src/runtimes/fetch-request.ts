import type { ContextValues } from "@connectrpc/connect";
import { createBodyAlreadyReadError } from "../http/body-errors.js";
import type { ContentCoding } from "../http/content-coding.js";
import type { BodyReceiver, HttpRequest } from "../http/http-request.js";

const URL_PARTS = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^#]*)/i;

/** A request of the Fetch standard. */
export class FetchHttpRequest implements HttpRequest {
  /** A placeholder, because a Request does not contain its HTTP version. */
  readonly httpVersion = "1.1";
  readonly method: string;
  readonly target: string;
  readonly origin: string;
  readonly body = undefined;
  readonly #request: Request;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #unconsumed = 0;
  #onConsumed: (() => void) | undefined;

  constructor(
    request: Request,
    readonly contextValues: ContextValues | undefined,
    readonly codings: readonly ContentCoding[],
  ) {
    const [, origin = "", target = ""] = URL_PARTS.exec(request.url) ?? [];
    this.method = request.method;
    this.target = target;
    this.origin = origin;
    this.#request = request;
  }

  get hasBody(): boolean {
    return this.#request.body !== null;
  }

  header(name: string): string | undefined {
    // A Response cannot have trailers, so requests for them are hidden.
    return name === "te" ? undefined : (this.#request.headers.get(name) ?? undefined);
  }

  headerEntries(): Iterable<readonly [string, string]> {
    return this.#request.headers;
  }

  receive(receiver: BodyReceiver): void {
    const { body, bodyUsed } = this.#request;
    if (bodyUsed) throw createBodyAlreadyReadError();
    if (body === null) {
      receiver.onEnd();
      return;
    }
    this.#reader = body.getReader();
    void this.#pump(this.#reader, receiver);
  }

  consume(bytes: number): void {
    this.#unconsumed -= bytes;
    if (this.#unconsumed === 0) this.#onConsumed?.();
  }

  /** Cancels the rest of the body. */
  cancel(): void {
    this.#reader?.cancel().catch(() => {});
  }

  onGone(listener: () => void): () => void {
    const { signal } = this.#request;
    if (signal.aborted) {
      listener();
      return () => {};
    }
    signal.addEventListener("abort", listener, { once: true });
    return () => signal.removeEventListener("abort", listener);
  }

  async #pump(reader: ReadableStreamDefaultReader<Uint8Array>, receiver: BodyReceiver): Promise<void> {
    try {
      for (let result = await reader.read(); !result.done; result = await reader.read()) {
        this.#unconsumed += result.value.length;
        receiver.onData(result.value);
        if (this.#unconsumed > 0) {
          await new Promise<void>((resolve) => {
            this.#onConsumed = resolve;
          });
        }
      }
    } catch {
      receiver.onAbort(undefined);
      return;
    }
    receiver.onEnd();
  }
}
