import type { Executor } from "@calltrack/postgres";
import { findFirstEventAfter } from "./event-repository.js";

/** An event draws its position at most this long after its `occurred_at`. The time exceeds the longest wait of a statement for a lock. */
const MAX_SKEW_MS = 120_000;

/**
 * Returns a position before all events at or after a time. Events have no index on their times, but positions and times have nearly the same
 * order, so a binary search finds the position.
 *
 * @param last the last position to search.
 */
export async function findPositionBefore(db: Executor, time: Date, last: bigint): Promise<bigint> {
  const sought = BigInt(time.getTime() - MAX_SKEW_MS) * 1000n;
  let [low, high] = [0n, last];
  while (low < high) {
    const middle = (low + high) / 2n;
    const next = await findFirstEventAfter(db, middle);
    if (next === undefined || BigInt(next.occurred_at) >= sought) high = middle;
    else low = BigInt(next.position);
  }
  return low;
}
