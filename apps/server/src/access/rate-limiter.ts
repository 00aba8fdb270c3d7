import { LRUCache } from "lru-cache";
import type { RateLimit } from "../config/rate-limit.js";

/** The quota that is left for a key after a request was counted or rejected. */
export interface RateLimitState {
  readonly isAllowed: boolean;
  /** How many more requests with the same key are allowed immediately. */
  readonly remaining: number;
  /** After a counted request, the time until the full quota is available. After a rejected request, the time until a retry is allowed. */
  readonly waitMs: number;
}

/** Limits the memory for the stored keys. If there are more keys, the least recently used one is removed, and its next request has the full quota. */
const MAX_KEYS = 50_000;

/**
 * Limits the rate of requests per key by the generic cell rate algorithm (ITU-T I.371). Each key has a bucket that holds the quota and
 * refills evenly. The only stored number per key is the time at which its bucket will be full.
 */
export class RateLimiter {
  readonly #windowMs: number;
  readonly #stepMs: number;
  readonly #fullAt = new LRUCache<string, number>({ max: MAX_KEYS });
  /** The time at which the buckets of all keys will be full. */
  #allFullAt = Number.NEGATIVE_INFINITY;

  constructor({ quota, windowMs }: RateLimit) {
    this.#windowMs = windowMs;
    this.#stepMs = windowMs / quota;
  }

  /** Counts a request if the quota allows it. `now` is in milliseconds since any fixed time. */
  take(key: string, now: number): RateLimitState {
    const fullAt = Math.max(this.#fullAt.get(key) ?? now, now) + this.#stepMs;
    const state = this.#stateOf(fullAt, now);
    if (state.isAllowed) {
      this.#fullAt.set(key, fullAt);
      this.#allFullAt = Math.max(this.#allFullAt, fullAt);
    }
    return state;
  }

  /** Whether every key has its full quota, so that no request has to wait. */
  isIdle(now: number): boolean {
    return now >= this.#allFullAt;
  }

  /** Returns what `take` would return, without counting the request. */
  peek(key: string, now: number): RateLimitState {
    return this.#stateOf(Math.max(this.#fullAt.get(key) ?? now, now) + this.#stepMs, now);
  }

  #stateOf(fullAt: number, now: number): RateLimitState {
    const leftMs = this.#windowMs - (fullAt - now);
    // Tolerates rounding errors: most step lengths have no exact floating-point representation.
    const isAllowed = leftMs > -this.#stepMs / 1000;
    return {
      isAllowed,
      remaining: Math.max(0, Math.floor(leftMs / this.#stepMs + 0.001)),
      waitMs: isAllowed ? fullAt - now : -leftMs,
    };
  }
}
