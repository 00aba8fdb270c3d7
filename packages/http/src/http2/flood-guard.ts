import { calm } from "./http2-error.js";
import { TokenBucket } from "./token-bucket.js";

/** Resets at once, and a second, as in nghttp2. */
const RESETS = { burst: 1000, perSecond: 33 };
/** Frames without content at once, and a second. */
const EMPTY_FRAMES = { burst: 10_000, perSecond: 1000 };
/** Pings and window updates that a client may send for each frame of a response, as in Envoy. */
const REACTIONS_PER_FRAME = 10;

/** What the client has been sent so far. */
export interface SentCounts {
  /** Responses that were sent completely. */
  readonly responses: number;
  /** Frames of responses, without those that the client's windows have cut short. */
  readonly frames: number;
}

/** Bounds what a client may do that costs the server more than the client. Throws a `ConnectionError` above the bounds. */
export class FloodGuard {
  readonly #sent: SentCounts;
  readonly #isShared: boolean;
  readonly #resets = new TokenBucket(RESETS.burst, RESETS.perSecond);
  readonly #emptyFrames = new TokenBucket(EMPTY_FRAMES.burst, EMPTY_FRAMES.perSecond);
  #countedResponses = 0;
  #reactions = 0;

  /** @param isShared whether resets are not counted. */
  constructor(sent: SentCounts, isShared: boolean) {
    this.#sent = sent;
    this.#isShared = isShared;
  }

  /**
   * Counts the reset of a stream without a response: a client has them cheaper than the server has their streams (CVE-2023-44487).
   * Each complete response allows for one more, so that a connection with many requests may have many resets.
   */
  countReset(): void {
    if (this.#isShared) return;
    this.#resets.give(this.#sent.responses - this.#countedResponses);
    this.#countedResponses = this.#sent.responses;
    if (!this.#resets.take()) throw calm("too many resets");
  }

  /** Counts a reset of a stream that has ended, such as one that was refused before its reset arrived. */
  countLateReset(): void {
    if (!this.#isShared) this.countEmptyFrame();
  }

  /** Counts a ping or a window update, which clients send as they receive responses. */
  countReaction(): void {
    if (this.#reactions < REACTIONS_PER_FRAME * this.#sent.frames) this.#reactions += 1;
    else this.countEmptyFrame();
  }

  /** Counts a frame without content. */
  countEmptyFrame(): void {
    if (!this.#emptyFrames.take()) throw calm("too many empty frames");
  }
}
