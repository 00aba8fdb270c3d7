import { gracePeriodEnd, type PassTracker } from "./pass-tracker.js";

/** The flagged and available trackers in a pool, which later passes can change. */
export interface WaitingTrackers {
  /** Removes and returns the trackers whose grace period has ended at the given time and, if requested, the available ones. */
  take(at: number, wantsAvailable: boolean): readonly PassTracker[];
  /** Returns the earliest end of a grace period, in milliseconds since 1970; undefined if no tracker is flagged. */
  gracePeriodEnd(): number | undefined;
  /** Adds the available ones of the trackers after a pass. There are no newly flagged ones, because such passes get no active trackers. */
  add(trackers: readonly PassTracker[]): void;
}

/** @param trackers all trackers of a pool after a pass. */
export function createWaitingTrackers(trackers: readonly PassTracker[], gracePeriodMs: number): WaitingTrackers {
  const flagged = trackers
    .flatMap((tracker, position) => {
      const end = gracePeriodEnd(tracker, gracePeriodMs);
      return end === undefined ? [] : [{ tracker, end, position }];
    })
    .sort((one, other) => other.end - one.end);
  let available = trackers.filter(isAvailable);
  return {
    take(at, wantsAvailable) {
      const ended = flagged.splice(flagged.findLastIndex(({ end }) => end > at) + 1);
      // In the order of the pool.
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
