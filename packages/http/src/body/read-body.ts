import type { BodyReceiver, Exchange } from "../exchange.js";
import { BodyBuffer } from "./body-buffer.js";
import { BodyTooLargeError, ClientGoneError } from "./body-errors.js";

/**
 * The whole body of a request, at once if it has arrived. Call it at most once.
 *
 * @param maxBytes a body that is told to be larger, or turns out to be, is not read on.
 * @returns a promise that rejects with `BodyTooLargeError`, `ClientGoneError`, or the error with which the server refused the body.
 */
export function readBody(exchange: Exchange, maxBytes: number): Buffer | Promise<Buffer> {
  const { body } = exchange;
  if (body === undefined) return receiveBody(exchange, maxBytes);
  return body.length > maxBytes ? Promise.reject(new BodyTooLargeError(maxBytes)) : body;
}

function receiveBody(exchange: Exchange, maxBytes: number): Promise<Buffer> {
  const length = Number(exchange.headers["content-length"] ?? 0);
  if (length > maxBytes) return Promise.reject(new BodyTooLargeError(maxBytes));
  return new Promise((resolve, reject) => {
    exchange.receive(new BodyReader(exchange, new BodyBuffer(length), maxBytes, resolve, reject));
  });
}

class BodyReader implements BodyReceiver {
  readonly #exchange: Exchange;
  readonly #maxBytes: number;
  readonly #resolve: (body: Buffer) => void;
  readonly #reject: (error: Error) => void;
  /** Undefined once the body is too large. */
  #buffer: BodyBuffer | undefined;

  constructor(
    exchange: Exchange,
    buffer: BodyBuffer,
    maxBytes: number,
    resolve: (body: Buffer) => void,
    reject: (error: Error) => void,
  ) {
    this.#exchange = exchange;
    this.#buffer = buffer;
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onData(chunk: Buffer): void {
    const buffer = this.#buffer;
    // What is not consumed keeps the client from sending more.
    if (buffer === undefined) return;
    if (buffer.size + chunk.length > this.#maxBytes) {
      this.#buffer = undefined;
      this.#reject(new BodyTooLargeError(this.#maxBytes));
      return;
    }
    buffer.push(chunk);
    this.#exchange.consume(chunk.length);
  }

  onEnd(): void {
    if (this.#buffer !== undefined) this.#resolve(this.#buffer.take());
  }

  onAbort(error: Error | undefined): void {
    this.#reject(error ?? new ClientGoneError());
  }
}
