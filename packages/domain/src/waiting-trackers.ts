import { gracePeriodEnd, type PassTracker } from "./pass-tracker.js";

/** The trackers that a later pass can change: flagged and available ones. */
export interface WaitingTrackers {
  /**
   * Removes and returns the trackers whose grace period has ended by the given time, and the available ones if requested.
   */
  take(at: number, wantsAvailable: boolean): readonly PassTracker[];
  /** Returns the earliest end of a grace period, in milliseconds since 1970; undefined if none is flagged. */
  gracePeriodEnd(): number | undefined;
  /** Adds the available trackers that a pass left. A pass flags none of the trackers that it was given here. */
  add(trackers: readonly PassTracker[]): void;
}

/** Creates the waiting trackers of a pool from all its trackers after a pass. */
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
