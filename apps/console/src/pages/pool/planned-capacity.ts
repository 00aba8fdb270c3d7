import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type CallTrackerChange, CallTrackerChangeKind as Kind } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { STATUS_AFTER, type StatusPeriod } from "./status-period";

/** How many call trackers have each status, from a time in milliseconds since 1970 on. */
export interface Capacity {
  readonly at: number;
  readonly active: number;
  readonly flagged: number;
  readonly available: number;
}

/** The status that a call tracker must have had before a change. Used if no earlier change of it is known. */
const STATUS_BEFORE: Partial<Record<Kind, StatusPeriod["status"]>> = {
  [Kind.ACTIVATED]: "available",
  [Kind.FLAGGED]: "active",
  [Kind.UNFLAGGED]: "flagged",
  [Kind.DEACTIVATED]: "flagged",
  [Kind.DELETED]: "available",
};

/** Returns the current state, then a step for each time with planned changes. `changes` must be in order of time. */
export function plannedCapacity(now: Capacity, changes: readonly CallTrackerChange[]): readonly Capacity[] {
  const counts = { active: now.active, flagged: now.flagged, available: now.available };
  const known = new Map<string, StatusPeriod["status"]>();
  const steps = [now];
  for (const { kind, trackingNumber, occurredAt } of changes) {
    const after = STATUS_AFTER[kind];
    if (after === undefined) continue;
    const before = known.get(trackingNumber) ?? STATUS_BEFORE[kind];
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
