import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type CallTrackerChange, CallTrackerChangeKind as Kind } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { type Span, STATUS_AFTER } from "./spans";

/** The number of call trackers by status, from a time on. */
export interface Capacity {
  readonly at: number;
  readonly active: number;
  readonly flagged: number;
  readonly available: number;
}

/** The status from which a kind of change always starts, for call trackers whose status is not known. */
const STATUS_BEFORE: Partial<Record<Kind, Span["status"]>> = {
  [Kind.ACTIVATED]: "available",
  [Kind.FLAGGED]: "active",
  [Kind.UNFLAGGED]: "flagged",
  [Kind.DEACTIVATED]: "flagged",
  [Kind.DELETED]: "available",
};

/**
 * Computes the course of a pool's capacity from its current state and planned changes.
 *
 * @param changes in order of time.
 * @returns a step for each time with changes, after the current state.
 */
export function plannedCapacity(now: Capacity, changes: readonly CallTrackerChange[]): readonly Capacity[] {
  const counts = { active: now.active, flagged: now.flagged, available: now.available };
  const known = new Map<string, Span["status"]>();
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
