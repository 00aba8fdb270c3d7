import { createDisconnectError } from "./body-errors.js";
import type { BodyReceiver, HttpRequest } from "./http-request.js";

export interface BodySink<T> {
  /** Adds the next bytes. Throws if the body becomes invalid. */
  push(chunk: Uint8Array): void;
  /** Returns the result after the end of the body. Throws or rejects if the body is invalid. */
  finish(): T | Promise<T>;
}

/** Passes a body to a sink, synchronously if there is none. Throws or rejects with the sink's error and stops reading. */
export function collectBody<T>(request: HttpRequest, sink: BodySink<T>): T | Promise<T> {
  if (!request.hasBody) return sink.finish();
  return new Promise((resolve, reject) => request.receive(new BodyCollector(request, sink, resolve, reject)));
}

class BodyCollector<T> implements BodyReceiver {
  readonly #request: HttpRequest;
  readonly #resolve: (result: T | Promise<T>) => void;
  readonly #reject: (error: unknown) => void;
  /** Undefined once the result is settled, so that the bytes can be freed. */
  #sink: BodySink<T> | undefined;

  constructor(
    request: HttpRequest,
    sink: BodySink<T>,
    resolve: (result: T | Promise<T>) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#sink = sink;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Does not acknowledge bytes that the sink rejects, so that the client stops sending. */
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
    this.#fail(error ?? createDisconnectError());
  }

  #fail(error: unknown): void {
    this.#sink = undefined;
    this.#reject(error);
  }
}
