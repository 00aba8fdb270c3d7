import type { PassInput } from "./pass-input.js";
import type { PassOutcome } from "./pass-outcome.js";
import { gracePeriodEnd, type PassTracker } from "./pass-tracker.js";

/** A tracker whose number is being retired, and what happens to it. */
export interface RetiringTracker {
  readonly tracker: PassTracker;
  /** When the tracker is deleted; undefined if unknown, because a person must flag it first or the pool is frozen. */
  readonly deletedAt: Date | undefined;
  /** A human-readable description of what happens to it. */
  readonly reason: string;
}

/** Returns the retiring trackers, in the order of `trackers`. `outcome` is the result of a pass over the pool. */
export function explainRetiring({ pool, trackers, now, settings }: PassInput, outcome: PassOutcome): RetiringTracker[] {
  const after = new Map(outcome.trackers.map((tracker) => [tracker.trackingNumber, tracker]));
  return trackers
    .filter(({ retirement }) => retirement !== undefined)
    .map((tracker): RetiringTracker => {
      if (pool.isFrozen)
        return { tracker, deletedAt: undefined, reason: "stays unchanged, because the account is disabled" };
      const left = after.get(tracker.trackingNumber);
      if (left === undefined) return { tracker, deletedAt: now, reason: "is deleted in the next pass" };
      const end = gracePeriodEnd(left, settings.gracePeriodMs);
      if (end === undefined) return { tracker, deletedAt: undefined, reason: "stays until a person flags it" };
      const deletedAt = new Date(end);
      const flagging = tracker.status === "active" ? "is flagged in the next pass, and " : "";
      return { tracker, deletedAt, reason: `${flagging}tracks calls until ${deletedAt.toISOString()}` };
    });
}
