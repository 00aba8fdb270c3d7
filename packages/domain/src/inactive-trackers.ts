import { findGracePeriodEnd, type PassTracker } from "./pass-tracker.js";

/** The flagged and available trackers in a pool: those that later passes can change if visits stay the same. */
export interface InactiveTrackers {
  /** Removes and returns the trackers whose grace period has ended at the given time and, if `wantsAvailable` is true, all available trackers. */
  take(at: number, wantsAvailable: boolean): readonly PassTracker[];
  /** Returns when the first grace period of a waiting tracker ends, in milliseconds since 1970; undefined if no tracker is flagged. */
  gracePeriodEnd(): number | undefined;
  /** Adds the available trackers after a pass. No pass flags further trackers, because the passes of a forecast get no active trackers. */
  add(trackers: readonly PassTracker[]): void;
}

/** @param trackers all trackers of a pool after the first pass of a forecast. */
export function createInactiveTrackers(trackers: readonly PassTracker[], gracePeriodMs: number): InactiveTrackers {
  const flagged = trackers
    .flatMap((tracker, position) => {
      const end = findGracePeriodEnd(tracker, gracePeriodMs);
      return end === undefined ? [] : [{ tracker, end, position }];
    })
    .sort((one, other) => other.end - one.end);
  let available = trackers.filter(isAvailable);
  return {
    take(at, wantsAvailable) {
      const ended = flagged.splice(flagged.findLastIndex(({ end }) => end > at) + 1);
      // Restores the order in which the pool lists the trackers.
      ended.sort((one, other) => one.position - other.position);
      const due = ended.map(({ tracker }) => tracker);
      if (!wantsAvailable) return due;
      due.push(...available);
      available = [];
      return due;
    },
    gracePeriodEnd: () => flagged.at(-1)?.end,
    add(given) {
      available.push(...given.filter(isAvailable));
    },
  };
}

function isAvailable({ status }: PassTracker): boolean {
  return status === "available";
}
