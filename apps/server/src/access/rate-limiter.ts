import { LRUCache } from "lru-cache";
import type { RateLimit } from "../config/rate-limit.js";

/** The remaining quota after a request was counted or rejected. */
export interface RateLimitState {
  readonly isAllowed: boolean;
  /** How many requests are allowed immediately. */
  readonly remaining: number;
  /**
   * Milliseconds until the full quota is available again. For a rejected request, milliseconds until it would be
   * allowed.
   */
  readonly waitMs: number;
}

/** Bounds memory. Beyond it, the least recently used keys start again with a full quota. */
const MAX_KEYS = 50_000;

/**
 * Limits requests per key by the generic cell rate algorithm (ITU-T I.371): a bucket of the size of the quota that
 * refills evenly. It stores one number per key, the time at which its bucket is full.
 */
export class RateLimiter {
  readonly #windowMs: number;
  readonly #stepMs: number;
  readonly #fullAt = new LRUCache<string, number>({ max: MAX_KEYS });
  /** When the last bucket is full. */
  #allFullAt = Number.NEGATIVE_INFINITY;

  constructor({ quota, windowMs }: RateLimit) {
    this.#windowMs = windowMs;
    this.#stepMs = windowMs / quota;
  }

  /** Counts a request if it is allowed. */
  take(key: string, now: number): RateLimitState {
    const fullAt = Math.max(this.#fullAt.get(key) ?? now, now) + this.#stepMs;
    const state = this.#stateOf(fullAt, now);
    if (state.isAllowed) {
      this.#fullAt.set(key, fullAt);
      this.#allFullAt = Math.max(this.#allFullAt, fullAt);
    }
    return state;
  }

  /** Whether every key has its full quota. */
  isIdle(now: number): boolean {
    return now >= this.#allFullAt;
  }

  /** Returns what `take` would return, without counting the request. */
  peek(key: string, now: number): RateLimitState {
    return this.#stateOf(Math.max(this.#fullAt.get(key) ?? now, now) + this.#stepMs, now);
  }

  #stateOf(fullAt: number, now: number): RateLimitState {
    const leftMs = this.#windowMs - (fullAt - now);
    // Tolerates rounding errors: most steps have no exact floating-point representation.
    const isAllowed = leftMs > -this.#stepMs / 1000;
    return {
      isAllowed,
      remaining: Math.max(0, Math.floor(leftMs / this.#stepMs + 0.001)),
      waitMs: isAllowed ? fullAt - now : -leftMs,
    };
  }
}
