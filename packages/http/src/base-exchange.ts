import type { BodyReceiver, Exchange, HttpHeaders } from "./exchange.js";

/** The part of an exchange that is the same for all HTTP versions: streamed responses, and the listeners for its end. */
export abstract class BaseExchange
  implements Pick<Exchange, "method" | "isOver" | "stream" | "onGone" | "onEnd" | "onError">
{
  abstract readonly method: string;
  abstract readonly isOver: boolean;
  /** Called when the exchange is over, before the listener of `onEnd`. */
  onRelease: (() => void) | undefined;
  #hasEnded = false;
  #isGone = false;
  #onGone: (() => void) | undefined;
  #onEnd: ((status: number | undefined) => void) | undefined;
  #onError = rethrow;

  async stream(
    status: number,
    headers: HttpHeaders,
    body: AsyncIterable<string | Uint8Array>,
    trailers?: () => HttpHeaders | undefined,
  ): Promise<void> {
    const pieces = body[Symbol.asyncIterator]();
    try {
      const state = this.begin(status, headers, trailers !== undefined);
      if (state === "complete") this.finish(undefined);
      if (state === "body") await this.#sendPieces(pieces, trailers);
    } finally {
      await pieces.return?.();
    }
  }

  onGone(listener: () => void): () => void {
    if (this.#isGone) listener();
    else if (!this.#hasEnded) this.#onGone = listener;
    return () => {
      this.#onGone = undefined;
    };
  }

  onEnd(listener: (status: number | undefined) => void): void {
    this.#onEnd = listener;
  }

  onError(listener: (error: unknown) => void): void {
    this.#onError = listener;
  }

  /**
   * Sends the headers of a streamed response. Returns "body" if a body follows, "complete" if none may follow, and "over" if the client
   * disconnected or a response was sent.
   */
  protected abstract begin(status: number, headers: HttpHeaders, hasTrailers: boolean): "body" | "complete" | "over";
  /** Sends a piece. Returns a promise if the client is slow; it resolves when more can be sent, or when the client disconnects. */
  protected abstract writePiece(piece: string | Uint8Array): Promise<void> | undefined;
  /** Completes a streamed response. */
  protected abstract finish(trailers: HttpHeaders | undefined): void;
  /** Cuts off the response in a way that the client can detect, after sending the pieces written so far. */
  protected abstract cutOff(): void;

  /** Whether the end was reported to the listeners. */
  protected get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Reports the end to the listeners. The status is undefined if the response was cut off or the client disconnected. */
  protected reportEnd(status: number | undefined): void {
    const onGone = this.#onGone;
    this.#hasEnded = true;
    this.#isGone = status === undefined;
    this.#onGone = undefined;
    this.onRelease?.();
    this.#call(() => this.#onEnd?.(status));
    if (status === undefined) this.#call(() => onGone?.());
  }

  /** Passes what a receiver throws to the listener of `onError`. */
  protected contain(receiver: BodyReceiver): BodyReceiver {
    return {
      onData: (chunk) => this.#call(() => receiver.onData(chunk)),
      onEnd: () => this.#call(() => receiver.onEnd()),
      onAbort: (error) => this.#call(() => receiver.onAbort(error)),
    };
  }

  /** Whether the response may have a body (RFC 9110 sections 9.3.2 and 15.3.5). */
  protected mayHaveBody(status: number): boolean {
    return status !== 204 && status !== 304 && this.method !== "HEAD";
  }

  /** Whether to add content-length. RFC 9110 section 8.6 forbids it with 204, and with 304 the length is unknown. */
  protected needsLength(status: number, headers: HttpHeaders): boolean {
    return status !== 204 && status !== 304 && headers["content-length"] === undefined;
  }

  /** Calls a listener. */
  #call(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#onError(error);
    }
  }

  async #sendPieces(
    pieces: AsyncIterator<string | Uint8Array>,
    trailers: (() => HttpHeaders | undefined) | undefined,
  ): Promise<void> {
    try {
      for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) {
        if (this.isOver) return;
        const drained = this.writePiece(piece.value);
        if (drained !== undefined) await drained;
        if (this.isOver) return;
      }
      if (!this.isOver) this.finish(trailers?.());
    } catch (error) {
      // The iteration may fail because the client has disconnected.
      if (this.isOver) return;
      this.cutOff();
      throw error;
    }
  }
}

function rethrow(error: unknown): void {
  throw error;
}
