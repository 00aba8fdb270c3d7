import type { Rate } from "../config/limits-settings.js";
import { TwoGenerationCache } from "./two-generation-cache.js";

/** What is left after a request was counted, or refused. */
export interface RateLimitState {
  readonly isAllowed: boolean;
  /** How many requests may come at once now. */
  readonly remaining: number;
  /** After how many milliseconds all of the quota is there again, or of a request that is refused, after how many it is not. */
  readonly waitMs: number;
}

/** Of more whoever came least lately begins anew, so that memory is bounded. */
const MAX_KEYS = 50_000;

/**
 * Counts requests of many keys by the generic cell rate algorithm (ITU-T I.371): a bucket that the whole quota fits in, and that
 * is filled evenly. It keeps one number for each key, the moment at which its bucket is full.
 */
export class RateLimiter {
  readonly rate: Rate;
  readonly #stepMs: number;
  readonly #fullAt = new TwoGenerationCache<string, number>(MAX_KEYS);
  /** When the last of the buckets is full. */
  #allFullAt = Number.NEGATIVE_INFINITY;

  constructor(rate: Rate) {
    this.rate = rate;
    this.#stepMs = rate.windowMs / rate.quota;
  }

  /** Counts a request, if it may come. */
  take(key: string, now: number): RateLimitState {
    const fullAt = Math.max(this.#fullAt.get(key) ?? now, now) + this.#stepMs;
    const state = this.#stateOf(fullAt, now);
    if (state.isAllowed) {
      this.#fullAt.set(key, fullAt);
      this.#allFullAt = Math.max(this.#allFullAt, fullAt);
    }
    return state;
  }

  /** Whether every key has all of its quota. */
  isIdle(now: number): boolean {
    return now >= this.#allFullAt;
  }

  /** What would become of a request. */
  peek(key: string, now: number): RateLimitState {
    return this.#stateOf(Math.max(this.#fullAt.get(key) ?? now, now) + this.#stepMs, now);
  }

  #stateOf(fullAt: number, now: number): RateLimitState {
    const leftMs = this.rate.windowMs - (fullAt - now);
    // A step is seldom a number that can be added up exactly.
    const isAllowed = leftMs > -this.#stepMs / 1000;
    return {
      isAllowed,
      remaining: Math.max(0, Math.floor(leftMs / this.#stepMs + 0.001)),
      waitMs: isAllowed ? fullAt - now : -leftMs,
    };
  }
}
