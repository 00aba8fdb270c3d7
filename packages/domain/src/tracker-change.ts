import type { PassTracker } from "./pass-tracker.js";
import type { SourceMedium } from "./source-medium.js";

export type TrackerChangeKind = "added" | "flagged" | "unflagged" | "activated" | "deactivated" | "deleted";

/** A change that a pass makes to one call tracker. */
export interface TrackerChange {
  readonly kind: TrackerChangeKind;
  readonly trackingNumber: string;
  /**
   * The source whose tracker changes; undefined if there is none. The source gets the tracker (`activated`), keeps it (`flagged`, `unflagged`) or
   * loses it (`deactivated`, `deleted`).
   */
  readonly source: SourceMedium | undefined;
  /** Why the tracker changes, as human-readable text, such as `google / cpc has rank 6 of 5`. */
  readonly reason: string;
}

/**
 * Returns the trackers after the changes, in the same order, with added trackers last. Ignores changes to numbers that no tracker has.
 *
 * @param at the time at which all the changes happen.
 */
export function applyTrackerChanges(
  trackers: readonly PassTracker[],
  changes: readonly TrackerChange[],
  at: Date,
): readonly PassTracker[] {
  if (changes.length === 0) return trackers;
  const byNumber = new Map(trackers.map((tracker) => [tracker.trackingNumber, tracker]));
  for (const change of changes) {
    const { trackingNumber } = change;
    const before = change.kind === "added" ? blankTracker(trackingNumber, at) : byNumber.get(trackingNumber);
    const after = before && effects[change.kind](before, change, at);
    if (after) byNumber.set(trackingNumber, after);
    else byNumber.delete(trackingNumber);
  }
  return [...byNumber.values()];
}

type Effect = (tracker: PassTracker, change: TrackerChange, at: Date) => PassTracker | undefined;

const effects: { readonly [K in TrackerChangeKind]: Effect } = {
  added: (tracker) => tracker,
  flagged: (tracker, _, at) => ({ ...tracker, status: "flagged", droppedAt: at }),
  unflagged: (tracker) => ({ ...tracker, status: "active", droppedAt: undefined }),
  activated: (tracker, { source }) => ({ ...tracker, status: "active", source }),
  deactivated: ({ trackingNumber }, _, at) => blankTracker(trackingNumber, at),
  deleted: () => undefined,
};

function blankTracker(trackingNumber: string, at: Date): PassTracker {
  return {
    trackingNumber,
    status: "available",
    source: undefined,
    droppedAt: undefined,
    availableSince: at,
    retirement: undefined,
  };
}
