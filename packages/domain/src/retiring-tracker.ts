import type { PassInput } from "./pass-input.js";
import type { PassOutcome } from "./pass-outcome.js";
import { findGracePeriodEnd, type PassTracker } from "./pass-tracker.js";

/** A tracker whose number is being retired, with the time of the tracker's deletion and a human-readable reason. */
export interface RetiringTracker {
  readonly tracker: PassTracker;
  /** When the tracker is deleted. Undefined if that is unknown, because a person must flag the tracker first or because the pool is frozen. */
  readonly deletedAt: Date | undefined;
  /** A human-readable sentence about what happens to the tracker. */
  readonly reason: string;
}

/**
 * Explains the trackers of a pool whose numbers are being retired, in the given order of the trackers.
 *
 * @param outcome the result of a pass over the pool.
 */
export function explainRetiringTrackers(
  { pool, trackers, now, settings }: PassInput,
  outcome: PassOutcome,
): RetiringTracker[] {
  const after = new Map(outcome.trackers.map((tracker) => [tracker.trackingNumber, tracker]));
  return trackers
    .filter(({ retirement }) => retirement !== undefined)
    .map((tracker): RetiringTracker => {
      if (pool.isFrozen)
        return {
          tracker,
          deletedAt: undefined,
          reason: "the call tracker stays unchanged, because the account is disabled",
        };
      const left = after.get(tracker.trackingNumber);
      if (left === undefined)
        return { tracker, deletedAt: now, reason: "the call tracker is deleted in the next pass" };
      const end = findGracePeriodEnd(left, settings.gracePeriodMs);
      if (end === undefined)
        return { tracker, deletedAt: undefined, reason: "the call tracker stays until a person flags it" };
      const deletedAt = new Date(end);
      const flagging = tracker.status === "active" ? "is flagged in the next pass, and " : "";
      return {
        tracker,
        deletedAt,
        reason: `the call tracker ${flagging}tracks calls until ${deletedAt.toISOString()}`,
      };
    });
}
