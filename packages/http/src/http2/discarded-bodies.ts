import { ProgressTimeout } from "../limits/progress-timeout.js";
import { MAX_UINT31 } from "./frame.js";
import { ErrorCode } from "./http2-error.js";
import type { StreamOwner } from "./http2-stream.js";
import type { RequestBody } from "./request-body.js";

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
  readonly #bodies = new Map<number, DiscardedBody>();
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

  /** The discarded body of a stream; undefined if the stream has none. */
  find(streamId: number): DiscardedBody | undefined {
    return this.#bodies.get(streamId);
  }

  /** Discards the rest of a body, and consumes what arrived of it. See `SendQueue` for `sendWindow`. */
  add(streamId: number, body: RequestBody, sendWindow: number): void {
    this.#bodies.set(streamId, new DiscardedBody(body, sendWindow, new ProgressTimeout(this.#timeoutMs)));
    this.#widen(streamId, body.consume(body.unconsumed));
  }

  /** Stops discarding the body of a stream, which has ended or is reset. */
  remove(streamId: number): void {
    this.#bodies.delete(streamId);
    this.#pendingIncrements.delete(streamId);
  }

  /**
   * Discards a piece of a body. Returns false if the stream has no discarded body.
   *
   * @param bytes length of the piece.
   * @param length length of its frame with padding, which counts against the window.
   * @throws StreamError if the piece exceeds the window or contradicts content-length.
   */
  receive(streamId: number, bytes: number, length: number, endStream: boolean): boolean {
    const body = this.#bodies.get(streamId);
    if (body === undefined) return false;
    const increment = body.receive(bytes, length, endStream);
    if (endStream) this.remove(streamId);
    else if (body.isTooLarge) this.#reset(streamId);
    else this.#widen(streamId, increment);
    return true;
  }

  /** Resets the streams whose time is used up. Call it periodically with the current `performance.now()`. */
  check(now: number): void {
    for (const [streamId, { timeout }] of this.#bodies) if (timeout.hasExpired(0, now)) this.#reset(streamId);
  }

  #widen(streamId: number, increment: number): void {
    if (increment === 0) return;
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

  /** Resets the stream with NO_ERROR, which tells the client to stop sending (RFC 9113 section 8.1). */
  #reset(streamId: number): void {
    this.remove(streamId);
    this.#owner.sendReset(streamId, ErrorCode.NO_ERROR, true);
  }
}

/** A discarded body. It obeys the same protocol rules as other bodies. */
class DiscardedBody {
  readonly timeout: ProgressTimeout;
  readonly #body: RequestBody;
  #sendWindow: number;
  #bytesLeft = MAX_DISCARDED_BYTES;

  constructor(body: RequestBody, sendWindow: number, timeout: ProgressTimeout) {
    this.timeout = timeout;
    this.#body = body;
    this.#sendWindow = sendWindow;
  }

  /** Whether more bytes have arrived than may be discarded. */
  get isTooLarge(): boolean {
    return this.#bytesLeft < 0;
  }

  /** Counts a piece, and returns the window increment to send. See `DiscardedBodies` for parameters and errors. */
  receive(bytes: number, length: number, endStream: boolean): number {
    this.#bytesLeft -= length;
    this.#body.count(bytes, length);
    if (endStream) this.#body.complete();
    return this.#body.consume(length);
  }

  /** Adjusts the send window. Returns false if it exceeds the maximum window size. */
  adjustSendWindow(increment: number): boolean {
    this.#sendWindow += increment;
    return this.#sendWindow <= MAX_UINT31;
  }
}
