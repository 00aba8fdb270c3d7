import { MAX_RINGING_CALLS, REPEAT_WINDOW_MS } from "@calltrack/domain";
import { LRUCache } from "lru-cache";

/** Bounds memory. Beyond it, the least recent calls and pairs of caller and number are forgotten. */
const MAX_CALLS = 20_000;

interface RecentCall {
  /** In milliseconds of `performance.now()`. */
  readonly at: number;
  readonly isRejected: boolean;
  /** Whether it was reported as answered or ended. */
  isReported: boolean;
}

/**
 * Recognizes the call of one caller to one number that comes while the calls before it still ring, as a forwarding loop makes it. Each
 * process counts the calls that it answers, and knows only the reports that it gets.
 */
export class RepeatedCalls {
  readonly #calls = new LRUCache<string, RecentCall>({ max: MAX_CALLS });
  /** The last calls of a pair of caller and number, most recent last. Rejected calls do not ring, and are left out. */
  readonly #ringing = new LRUCache<string, readonly RecentCall[]>({ max: MAX_CALLS });

  /**
   * Counts a call, and reports whether `MAX_RINGING_CALLS` others came just before it, none of which was reported as answered or ended. A
   * repeated request about a call gets the same answer.
   */
  isRepeated(callerNumber: string, trackingNumber: string, callId: string): boolean {
    const known = this.#calls.get(callId);
    if (known !== undefined) return known.isRejected;
    const at = performance.now();
    const pair = `${callerNumber} ${trackingNumber}`;
    const before = (this.#ringing.get(pair) ?? []).filter((call) => at - call.at < REPEAT_WINDOW_MS);
    const isRejected = before.length === MAX_RINGING_CALLS && before.every(({ isReported }) => !isReported);
    const call = { at, isRejected, isReported: false };
    this.#calls.set(callId, call);
    if (!isRejected) this.#ringing.set(pair, [...before, call].slice(-MAX_RINGING_CALLS));
    return isRejected;
  }

  /** Notes that a call was answered or has ended. */
  noteReport(callId: string): void {
    const call = this.#calls.get(callId);
    if (call !== undefined) call.isReported = true;
  }
}
