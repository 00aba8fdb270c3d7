import { clientGone } from "./body-errors.js";
import type { BodyReceiver, HttpRequest } from "./http-request.js";

/** Collects a body chunk by chunk. */
export interface BodySink<T> {
  /** Takes the next bytes. Throws if they make the body unacceptable. */
  push(chunk: Uint8Array): void;
  /** Returns the result, once the body has ended. Throws if the body is unacceptable. */
  finish(): T;
}

/** Collects the body of a request, synchronously if it has arrived. Throws or rejects as the sink throws, without reading the rest. */
export function collectBody<T>(request: HttpRequest, sink: BodySink<T>): T | Promise<T> {
  const { hasBody, body } = request;
  if (hasBody && body === undefined) {
    return new Promise((resolve, reject) => request.receive(new BodyCollector(request, sink, resolve, reject)));
  }
  if (body !== undefined && body.length > 0) sink.push(body);
  return sink.finish();
}

class BodyCollector<T> implements BodyReceiver {
  readonly #request: HttpRequest;
  readonly #resolve: (result: T) => void;
  readonly #reject: (error: unknown) => void;
  /** Undefined once the result is settled, so that nothing holds the bytes. */
  #sink: BodySink<T> | undefined;

  constructor(request: HttpRequest, sink: BodySink<T>, resolve: (result: T) => void, reject: (error: unknown) => void) {
    this.#request = request;
    this.#sink = sink;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Bytes of an unacceptable body are not consumed, so that the client stops sending. */
  onData(chunk: Uint8Array): void {
    if (this.#sink === undefined) return;
    try {
      this.#sink.push(chunk);
      this.#request.consume(chunk.length);
    } catch (error) {
      this.#fail(error);
    }
  }

  onEnd(): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    this.#sink = undefined;
    try {
      this.#resolve(sink.finish());
    } catch (error) {
      this.#reject(error);
    }
  }

  onAbort(error: Error | undefined): void {
    this.#fail(error ?? clientGone());
  }

  #fail(error: unknown): void {
    this.#sink = undefined;
    this.#reject(error);
  }
}
