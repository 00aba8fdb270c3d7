import { createDisconnectError } from "./body-errors.js";
import type { BodyReceiver, HttpRequest } from "./http-request.js";

/** Converts the chunks of a body to a result. */
export interface BodySink<T> {
  /** Adds the next chunk. Throws if the chunk makes the body invalid. */
  push(chunk: Uint8Array): void;
  /** Returns the result. Called at the end of the body. Throws or rejects if the body is invalid. */
  finish(): T | Promise<T>;
}

/** Passes a request's body to a sink and returns the sink's result, synchronously if the request has no body. Stops reading if the sink throws. */
export function collectBody<T>(request: HttpRequest, sink: BodySink<T>): T | Promise<T> {
  if (!request.hasBody) return sink.finish();
  return new Promise((resolve, reject) => request.receive(new BodyCollector(request, sink, resolve, reject)));
}

class BodyCollector<T> implements BodyReceiver {
  readonly #request: HttpRequest;
  readonly #resolve: (result: T | Promise<T>) => void;
  readonly #reject: (error: unknown) => void;
  /** Undefined once the result is settled, so that the bytes in the sink can be freed. */
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

  /** Passes the bytes to the sink and acknowledges them. If the sink throws, the bytes stay unacknowledged, so the client stops sending. */
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
