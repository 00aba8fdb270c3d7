import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { ContextValues } from "@connectrpc/connect";
import { bodyTooLarge } from "../calls/read-body.js";
import type { ContentCoding } from "../responses/content-coding.js";
import type { TranscoderRequest } from "../transcoder-request.js";
import { headerEntriesOf, headerOf } from "./node-headers.js";

/** A request of HTTP/1.1 that has come with all of its body, whatever server has read it. */
export interface WholeRequest {
  readonly method: string;
  /** The target as it came. */
  readonly url: string;
  /** By their names in lower case, `host` among them. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Empty for none. */
  readonly body: Uint8Array;
  readonly socket: Socket;
  /** Sends the answer. Throws, with nothing sent, for headers that cannot be sent. */
  respond(
    status: number,
    headers: Readonly<Record<string, string | readonly string[]>>,
    body: string | Uint8Array | undefined,
  ): void;
  /** Ends the connection without an answer. */
  cut(): void;
  /** Calls back if the client goes away before its answer, at once if it has; returns the way to stop that. */
  onGone(listener: () => void): () => void;
}

/** A whole request as the transcoder reads it. */
export class WholeTranscoderRequest implements TranscoderRequest {
  readonly method: string;
  readonly target: string;
  readonly contextValues: ContextValues | undefined;
  readonly codings: readonly ContentCoding[];
  readonly #request: WholeRequest;

  constructor(request: WholeRequest, contextValues: ContextValues | undefined, codings: readonly ContentCoding[]) {
    this.method = request.method;
    this.target = request.url;
    this.contextValues = contextValues;
    this.codings = codings;
    this.#request = request;
  }

  get origin(): string {
    const { headers, socket } = this.#request;
    return `${"encrypted" in socket ? "https" : "http"}://${headers.host}`;
  }

  get hasBody(): boolean {
    return this.#request.body.length > 0;
  }

  header(name: string): string | undefined {
    return headerOf(this.#request.headers, name);
  }

  headerEntries(): readonly (readonly [string, string])[] {
    return headerEntriesOf(this.#request.headers);
  }

  readBytes(maxBytes: number): Promise<Uint8Array> {
    const { body } = this.#request;
    return body.length > maxBytes ? Promise.reject(bodyTooLarge(maxBytes)) : Promise.resolve(body);
  }

  async *readChunks(): AsyncIterable<Uint8Array> {
    yield this.#request.body;
  }

  onAbort(listener: () => void): () => void {
    return this.#request.onGone(listener);
  }
}
