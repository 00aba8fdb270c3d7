import { ProgressTimeout } from "../limits/progress-timeout.js";
import { MAX_UINT31 } from "./frame.js";
import { ErrorCode, StreamError } from "./http2-error.js";
import type { ReceiveWindow } from "./receive-window.js";

/** Four times the largest body that servers usually take. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
/**
 * How much more the clients of discarded bodies may send, together and in each interval. Every byte that arrives is memory until the
 * garbage collector runs.
 */
const GRANTED_BYTES = 256 * 1024;
const GRANT_INTERVAL_MS = 50;
/** Several round trips: a client that reads while it sends has stopped by then. */
const MAX_DISCARD_MS = 5000;

/** What is left of a stream whose response is complete while its request body still arrives. */
export interface RestOfStream {
  readonly receiveWindow: ReceiveWindow;
  readonly sendWindow: number;
  /** Bytes of the body that have arrived and were not read. */
  readonly unread: number;
  /** Bytes of the body that are still to arrive; undefined without content-length. */
  readonly missing: number | undefined;
}

/** What a connection does for the streams of these bodies. */
export interface DiscardOwner {
  widenWindow(streamId: number, increment: number): void;
  sendReset(streamId: number, code: number, isOpen: boolean): void;
}

/**
 * Discards the request bodies of a connection that still arrive when their responses are complete. Only then it resets the stream: curl
 * 7.88 and others drop a response that arrives together with a reset.
 */
export class DiscardedBodies {
  readonly #owner: DiscardOwner;
  readonly #timeoutMs: number;
  readonly #bodies = new Map<number, DiscardedBody>();
  /** By how much windows are to be widened, by the stream's id. */
  readonly #owed = new Map<number, number>();
  #isGranting = false;

  /** @param bodyTimeoutMs the maximum time for a body that is read. */
  constructor(owner: DiscardOwner, bodyTimeoutMs: number) {
    this.#owner = owner;
    this.#timeoutMs = Math.min(MAX_DISCARD_MS, bodyTimeoutMs);
  }

  get size(): number {
    return this.#bodies.size;
  }

  /** The body of a stream; undefined if none is discarded. */
  find(streamId: number): DiscardedBody | undefined {
    return this.#bodies.get(streamId);
  }

  add(streamId: number, rest: RestOfStream): void {
    this.#bodies.set(streamId, new DiscardedBody(rest, new ProgressTimeout(this.#timeoutMs)));
    this.#widen(streamId, rest.receiveWindow.take(rest.unread));
  }

  /** Stops discarding, if it has begun: the stream is reset. */
  remove(streamId: number): void {
    this.#bodies.delete(streamId);
    this.#owed.delete(streamId);
  }

  /** Discards bytes, of which `length` count against the window; false if none are discarded. Throws a `StreamError`. */
  take(streamId: number, bytes: number, length: number, endStream: boolean): boolean {
    const body = this.#bodies.get(streamId);
    if (body === undefined) return false;
    const increment = body.take(bytes, length, endStream);
    if (endStream) this.remove(streamId);
    else if (body.isTooLarge) this.#reset(streamId);
    else this.#widen(streamId, increment);
    return true;
  }

  /** Resets the streams that have taken too long; call it again and again. */
  check(now: number): void {
    for (const [streamId, { stall }] of this.#bodies) if (stall.isOver(0, now)) this.#reset(streamId);
  }

  #widen(streamId: number, increment: number): void {
    if (increment === 0) return;
    this.#owed.set(streamId, (this.#owed.get(streamId) ?? 0) + increment);
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

  /** Widens windows, those that have waited longest first. */
  #grant(): void {
    let left = GRANTED_BYTES;
    for (const [streamId, increment] of this.#owed) {
      if (left <= 0) break;
      left -= increment;
      this.#owed.delete(streamId);
      this.#owner.widenWindow(streamId, increment);
    }
    if (this.#owed.size > 0) this.#grantSoon();
  }

  /** Tells the client to stop sending (RFC 9113 section 8.1). */
  #reset(streamId: number): void {
    this.remove(streamId);
    this.#owner.sendReset(streamId, ErrorCode.NO_ERROR, true);
  }
}

/** A body that is discarded, with the same rules as one that is read. */
class DiscardedBody {
  readonly stall: ProgressTimeout;
  readonly #receiveWindow: ReceiveWindow;
  #sendWindow: number;
  #missing: number | undefined;
  #bytesLeft = MAX_DISCARDED_BYTES;

  constructor({ receiveWindow, sendWindow, missing }: RestOfStream, stall: ProgressTimeout) {
    this.stall = stall;
    this.#receiveWindow = receiveWindow;
    this.#sendWindow = sendWindow;
    this.#missing = missing;
  }

  /** Whether more has arrived than is worth to be discarded. */
  get isTooLarge(): boolean {
    return this.#bytesLeft < 0;
  }

  /** Counts bytes, and returns by how much to widen the window. Throws a `StreamError`. */
  take(bytes: number, length: number, endStream: boolean): number {
    if (!this.#receiveWindow.receive(length)) {
      throw new StreamError(ErrorCode.FLOW_CONTROL_ERROR, "the flow-control window is exceeded");
    }
    this.#bytesLeft -= length;
    if (this.#missing !== undefined) {
      this.#missing -= bytes;
      if (this.#missing < 0 || (endStream && this.#missing > 0)) {
        throw new StreamError(ErrorCode.PROTOCOL_ERROR, "the length of the body does not match content-length");
      }
    }
    return this.#receiveWindow.take(length);
  }

  /** Changes the window of what may be sent; false if it is larger than a window may be. */
  grow(increment: number): boolean {
    this.#sendWindow += increment;
    return this.#sendWindow <= MAX_UINT31;
  }
}
