import { MAX_RINGING_CALLS_PER_CALLER, REPEATED_CALL_WINDOW_MS } from "@calltrack/domain";
import { LRUCache } from "lru-cache";

/**
 * Limits memory: beyond 20 000, the least recently used calls and pairs of caller and tracking number are evicted. The option `max` would allocate
 * memory for all entries at once.
 */
const LIMITS = { maxSize: 20_000, sizeCalculation: () => 1 };

interface RecentCall {
  /** When the call arrived, in `performance.now()` time. */
  readonly at: number;
  readonly isRejected: boolean;
  /** Whether the call was reported as answered or ended. */
  isReported: boolean;
}

/**
 * Detects forwarding loops, in which a caller calls a number again while the earlier calls still ring. Each process sees only the calls
 * and reports that it receives itself.
 */
export class RepeatedCallDetector {
  readonly #calls = new LRUCache<string, RecentCall>(LIMITS);
  /** The latest calls of each pair of caller and tracking number, most recent last. Omits rejected calls, because they do not ring. */
  readonly #ringing = new LRUCache<string, readonly RecentCall[]>(LIMITS);

  /**
   * Counts a call. Returns true if its caller made `MAX_RINGING_CALLS_PER_CALLER` other calls to the same number within
   * `REPEATED_CALL_WINDOW_MS`, and none of them was reported as answered or ended. A repeated request about a call gets the same result.
   */
  isRepeated(callerNumber: string, trackingNumber: string, callId: string): boolean {
    const known = this.#calls.get(callId);
    if (known !== undefined) return known.isRejected;
    const at = performance.now();
    const pair = `${callerNumber} ${trackingNumber}`;
    const before = (this.#ringing.get(pair) ?? []).filter((call) => at - call.at < REPEATED_CALL_WINDOW_MS);
    const isRejected = before.length === MAX_RINGING_CALLS_PER_CALLER && before.every(({ isReported }) => !isReported);
    const call = { at, isRejected, isReported: false };
    this.#calls.set(callId, call);
    if (!isRejected) this.#ringing.set(pair, [...before, call].slice(-MAX_RINGING_CALLS_PER_CALLER));
    return isRejected;
  }

  noteReport(callId: string): void {
    const call = this.#calls.get(callId);
    if (call !== undefined) call.isReported = true;
  }
}
