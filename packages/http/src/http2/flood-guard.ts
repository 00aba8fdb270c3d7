import type { FrameSender } from "./frame-sender.js";
import { excessiveLoadError } from "./http2-error.js";
import { TokenBucket } from "./token-bucket.js";

/** Limit of stream resets, as in nghttp2. */
const RESET_LIMIT = { burst: 1000, perSecond: 33 };
/** Limit of frames without content. */
const EMPTY_FRAME_LIMIT = { burst: 10_000, perSecond: 1000 };
/** Pings and window updates that a client may send for each frame of a response, as in Envoy. */
const REACTIONS_PER_FRAME = 10;

/** Limits frames that cost the server more than the client. All methods throw a `ConnectionError` beyond the limit. */
export class FloodGuard {
  readonly #sent: FrameSender;
  readonly #isShared: boolean;
  readonly #resets = new TokenBucket(RESET_LIMIT.burst, RESET_LIMIT.perSecond);
  readonly #emptyFrames = new TokenBucket(EMPTY_FRAME_LIMIT.burst, EMPTY_FRAME_LIMIT.perSecond);
  #countedResponses = 0;
  #reactions = 0;

  /** @param isShared whether many clients share the connection: their resets are not counted. */
  constructor(sent: FrameSender, isShared: boolean) {
    this.#sent = sent;
    this.#isShared = isShared;
  }

  /**
   * Counts the reset of a stream without a response, which costs the client less than the server (CVE-2023-44487). Each complete
   * response permits one more reset, so that busy connections may have many.
   */
  countReset(): void {
    if (this.#isShared) return;
    this.#resets.add(this.#sent.responses - this.#countedResponses);
    this.#countedResponses = this.#sent.responses;
    if (!this.#resets.take()) throw excessiveLoadError("too many resets");
  }

  /** Counts the reset of a closed stream, such as one that was refused before its reset arrived. */
  countLateReset(): void {
    if (!this.#isShared) this.countEmptyFrame();
  }

  /** Counts a PING or WINDOW_UPDATE frame, which clients send as they receive responses. */
  countReaction(): void {
    if (this.#reactions < REACTIONS_PER_FRAME * this.#sent.frames) this.#reactions += 1;
    else this.countEmptyFrame();
  }

  /** Counts a frame without content. */
  countEmptyFrame(): void {
    if (!this.#emptyFrames.take()) throw excessiveLoadError("too many frames without content");
  }
}
