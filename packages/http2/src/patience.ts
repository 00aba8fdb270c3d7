import { calm } from "./http2-error.js";
import { TokenBucket } from "./token-bucket.js";

/** How much a client may do that costs the server more than itself. What is more ends the connection. */
export class Patience {
  /** As in nghttp2. */
  readonly #resets = new TokenBucket(1000, 33);
  readonly #noise = new TokenBucket(10_000, 1000);

  /** Counts a reset, whoever sends it: a client has them cheaper than the server has their streams (CVE-2023-44487). */
  countReset(): void {
    if (!this.#resets.take()) throw calm("too many resets");
  }

  /** Counts a frame that carries nothing and costs the server something. */
  countNoise(): void {
    if (!this.#noise.take()) throw calm("too many frames that carry nothing");
  }
}
