import { type PassTracker, timelineEnd } from "./pass-tracker.js";

/** The trackers of a pool that a later pass can change: flagged ones, and available ones. */
export interface WaitingTrackers {
  /** Takes out flagged ones whose timeline is over at a moment, and available ones if they are wanted. */
  take(at: number, wantsAvailable: boolean): readonly PassTracker[];
  /** The end of the timeline that ends first, in milliseconds since 1970; undefined if none is flagged. */
  timelineEnd(): number | undefined;
  /** Adds the available ones of those that a pass has changed: it flags none of those that were taken for it. */
  add(trackers: readonly PassTracker[]): void;
}

/** The trackers that wait when a pass has left a pool like this. */
export function createWaitingTrackers(trackers: readonly PassTracker[], timelineMs: number): WaitingTrackers {
  const flagged = trackers
    .flatMap((tracker, place) => {
      const end = timelineEnd(tracker, timelineMs);
      return end === undefined ? [] : [{ tracker, end, place }];
    })
    .sort((one, other) => other.end - one.end);
  let available = trackers.filter(isAvailable);
  return {
    take(at, wantsAvailable) {
      const over = flagged.splice(flagged.findLastIndex(({ end }) => end > at) + 1);
      // In the order in which the pool has them.
      over.sort((one, other) => one.place - other.place);
      const due = over.map(({ tracker }) => tracker);
      if (!wantsAvailable) return due;
      due.push(...available);
      available = [];
      return due;
    },
    timelineEnd: () => flagged.at(-1)?.end,
    add(given) {
      available.push(...given.filter(isAvailable));
    },
  };
}

function isAvailable({ status }: PassTracker): boolean {
  return status === "available";
}
