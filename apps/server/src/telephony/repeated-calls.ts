import { LRUCache } from "lru-cache";

/** Within this time, the third call of a caller to a number is a loop. */
const WINDOW_MS = 10_000;

/** Bounds memory. Beyond it, the calls of the least recent pairs of caller and number are forgotten. */
const MAX_PAIRS = 20_000;

/** Bounds the calls of a pair, most recent last. */
const MAX_CALLS = 10;

interface RecentCall {
  readonly callId: string;
  /** In milliseconds of `performance.now()`. */
  readonly at: number;
}

/**
 * Recognizes the third call of one caller to one number within 10 seconds, as a forwarding loop makes it. Each process counts the calls
 * that it answers.
 */
export class RepeatedCalls {
  readonly #recent = new LRUCache<string, readonly RecentCall[]>({ max: MAX_PAIRS });

  /** Counts a call, and reports whether two others came before it. A repeated request about a call counts once. */
  isRepeated(callerNumber: string, trackingNumber: string, callId: string): boolean {
    const now = performance.now();
    const pair = `${callerNumber} ${trackingNumber}`;
    const recent = (this.#recent.get(pair) ?? []).filter(({ at }) => now - at < WINDOW_MS);
    const index = recent.findIndex((call) => call.callId === callId);
    if (index !== -1) return index >= 2;
    this.#recent.set(pair, [...recent, { callId, at: now }].slice(-MAX_CALLS));
    return recent.length >= 2;
  }
}
