import type { ContextValues } from "@connectrpc/connect";
import { bodyAlreadyRead, bodyTooLarge } from "../calls/read-body.js";
import type { ContentCoding } from "../responses/content-coding.js";
import type { TranscoderRequest } from "../transcoder-request.js";
import { collectBytes } from "./web-content-coding.js";

const URL_PARTS = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^#]*)/i;

/** A request of the Fetch standard as the transcoder reads it. */
export class FetchTranscoderRequest implements TranscoderRequest {
  readonly method: string;
  readonly target: string;
  readonly origin: string;
  readonly contextValues: ContextValues | undefined;
  readonly codings: readonly ContentCoding[];
  readonly #request: Request;

  constructor(request: Request, contextValues: ContextValues | undefined, codings: readonly ContentCoding[]) {
    const [, origin = "", target = ""] = URL_PARTS.exec(request.url) ?? [];
    this.method = request.method;
    this.target = target;
    this.origin = origin;
    this.contextValues = contextValues;
    this.codings = codings;
    this.#request = request;
  }

  get hasBody(): boolean {
    return this.#request.body !== null;
  }

  header(name: string): string | undefined {
    // A Response cannot carry trailers, so nobody gets to ask for them.
    return name === "te" ? undefined : (this.#request.headers.get(name) ?? undefined);
  }

  headerEntries(): Iterable<readonly [string, string]> {
    return this.#request.headers;
  }

  async readBytes(maxBytes: number): Promise<Uint8Array> {
    const { body, headers } = this.#request;
    if (body === null) return new Uint8Array();
    if (this.#request.bodyUsed) throw bodyAlreadyRead();
    if (Number(headers.get("content-length") ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
    return collectBytes(body, maxBytes);
  }

  async *readChunks(): AsyncIterable<Uint8Array> {
    const { body, bodyUsed } = this.#request;
    if (body === null) return;
    if (bodyUsed) throw bodyAlreadyRead();
    const reader = body.getReader();
    try {
      for (let result = await reader.read(); !result.done; result = await reader.read()) yield result.value;
    } finally {
      reader.cancel().catch(() => {});
    }
  }

  onAbort(listener: () => void): () => void {
    const { signal } = this.#request;
    if (signal.aborted) {
      listener();
      return () => {};
    }
    signal.addEventListener("abort", listener, { once: true });
    return () => signal.removeEventListener("abort", listener);
  }
}
