import { ProgressTimeout } from "../limits/progress-timeout.js";
import { ErrorCode } from "./http2-error.js";
import type { Http2Stream, StreamOwner } from "./http2-stream.js";

/** Maximum bytes to discard per body: several times the body limits of most servers. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
/**
 * Bytes by which the windows of all discarded bodies of a connection grow per interval. This limits the rate of discarded bytes, because
 * each of them uses memory until it is garbage-collected.
 */
const GRANT_BYTES = 256 * 1024;
const GRANT_INTERVAL_MS = 50;
/** Several round trips: by then, a client that reads while it sends has seen the response and stopped. */
const MAX_DISCARD_MS = 5000;

/**
 * Discards request bodies that are still arriving after their complete responses, and resets the streams only beyond a limit. Some
 * clients, such as curl 7.88, drop a response that arrives together with a reset.
 */
export class DiscardedBodies {
  readonly #owner: StreamOwner;
  readonly #timeoutMs: number;
  readonly #bodies = new Map<Http2Stream, { readonly timeout: ProgressTimeout; bytesLeft: number }>();
  /** Pending window increments by stream id, in bytes. */
  readonly #pendingIncrements = new Map<number, number>();
  #isGranting = false;

  /** @param bodyTimeoutMs maximum time to receive a body. Discarding takes at most this time, and at most 5 seconds. */
  constructor(owner: StreamOwner, bodyTimeoutMs: number) {
    this.#owner = owner;
    this.#timeoutMs = Math.min(MAX_DISCARD_MS, bodyTimeoutMs);
  }

  get size(): number {
    return this.#bodies.size;
  }

  /** Discards what has arrived of the body of a stream. Resets the stream if that is too much. */
  discard(stream: Http2Stream): void {
    const { id, body } = stream;
    const state = this.#bodies.get(stream) ?? {
      timeout: new ProgressTimeout(this.#timeoutMs),
      bytesLeft: MAX_DISCARDED_BYTES,
    };
    this.#bodies.set(stream, state);
    state.bytesLeft -= body.unconsumed;
    const increment = body.consume(body.unconsumed);
    if (state.bytesLeft < 0) reset(stream);
    else if (increment > 0) this.#widen(id, increment);
  }

  /** Stops discarding the body of a stream, which has ended or is reset. */
  remove(stream: Http2Stream): void {
    this.#bodies.delete(stream);
    this.#pendingIncrements.delete(stream.id);
  }

  /** Resets the streams whose time is used up. Call it periodically with the current `performance.now()`. */
  check(now: number): void {
    for (const [stream, { timeout }] of this.#bodies) if (timeout.hasExpired(0, now)) reset(stream);
  }

  #widen(streamId: number, increment: number): void {
    this.#pendingIncrements.set(streamId, (this.#pendingIncrements.get(streamId) ?? 0) + increment);
    this.#grantSoon();
  }

  #grantSoon(): void {
    if (this.#isGranting) return;
    this.#isGranting = true;
    setTimeout(() => {
      this.#isGranting = false;
      this.#grant();
    }, GRANT_INTERVAL_MS).unref();
  }

  /** Sends pending window increments in order of their age, up to `GRANT_BYTES`. */
  #grant(): void {
    let left = GRANT_BYTES;
    for (const [streamId, increment] of this.#pendingIncrements) {
      if (left <= 0) break;
      left -= increment;
      this.#pendingIncrements.delete(streamId);
      this.#owner.widenWindow(streamId, increment);
    }
    if (this.#pendingIncrements.size > 0) this.#grantSoon();
  }
}

/** Resets the stream with NO_ERROR, which tells the client to stop sending (RFC 9113 section 8.1). */
function reset(stream: Http2Stream): void {
  stream.reset(ErrorCode.NO_ERROR);
}
