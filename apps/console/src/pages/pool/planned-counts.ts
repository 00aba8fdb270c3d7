import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type CallTrackerChange, CallTrackerChangeKind as Kind } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { STATUS_AFTER_CHANGE, type StatusPeriod } from "./status-period";

/** The number of call trackers of a pool with each status, from the time `at` onward. The time is in milliseconds since 1970. */
export interface CallTrackerCounts {
  readonly at: number;
  readonly active: number;
  readonly flagged: number;
  readonly available: number;
}

/** The status that a call tracker must have had before each kind of change. Used for the first planned change of a call tracker. */
const STATUS_BEFORE_CHANGE: Partial<Record<Kind, StatusPeriod["status"]>> = {
  [Kind.ACTIVATED]: "available",
  [Kind.FLAGGED]: "active",
  [Kind.UNFLAGGED]: "flagged",
  [Kind.DEACTIVATED]: "flagged",
  [Kind.DELETED]: "available",
};

/** Returns the current counts, then the counts after each time with planned changes. `changes` must be in chronological order. */
export function computePlannedCounts(
  now: CallTrackerCounts,
  changes: readonly CallTrackerChange[],
): readonly CallTrackerCounts[] {
  const counts = { active: now.active, flagged: now.flagged, available: now.available };
  const known = new Map<string, StatusPeriod["status"]>();
  const steps = [now];
  for (const { kind, trackingNumber, occurredAt } of changes) {
    const after = STATUS_AFTER_CHANGE[kind];
    if (after === undefined) continue;
    const before = known.get(trackingNumber) ?? STATUS_BEFORE_CHANGE[kind];
    if (kind !== Kind.ADDED && before !== undefined) counts[before]--;
    if (after === "deleted") known.delete(trackingNumber);
    else {
      counts[after]++;
      known.set(trackingNumber, after);
    }
    const at = Math.max(occurredAt === undefined ? now.at : timestampMs(occurredAt), now.at);
    if (steps.at(-1)?.at === at && steps.length > 1) steps.pop();
    steps.push({ at, ...counts });
  }
  return steps;
}
