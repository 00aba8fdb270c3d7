import { compareCodePoints } from "./code-point-order.js";
import type { SourceMedium } from "./source-medium.js";

/** Whether a call tracker tracks calls: active and flagged ones do. */
export type TrackerStatus = "available" | "active" | "flagged";

/** When a number that is being retired leaves its call tracker: once nobody needs that any more, or in the next pass. */
export type Retirement = "gradual" | "immediate";

/** A call tracker as far as a pass needs to know it. */
export interface PassTracker {
  /** Unique: a number serves one tracker at a time. */
  readonly trackingNumber: string;
  readonly status: TrackerStatus;
  /** What an active or flagged tracker of an automanaged pool tracks calls for, else undefined. */
  readonly source: SourceMedium | undefined;
  /** When a flagged one was flagged, else undefined. */
  readonly droppedAt: Date | undefined;
  /** When it last became available: of the available ones, the one that has been so longest serves first. */
  readonly availableSince: Date;
  /** Undefined unless its number is being retired. */
  readonly retirement: Retirement | undefined;
}

/** Puts available trackers in the order in which they serve: the one that has been available longest first. */
export function compareAvailability(one: PassTracker, other: PassTracker): number {
  return (
    one.availableSince.getTime() - other.availableSince.getTime() ||
    compareCodePoints(one.trackingNumber, other.trackingNumber)
  );
}

/** Whether the next pass deletes a tracker because its number is being retired. */
export function leavesAtOnce({ retirement, status }: PassTracker): boolean {
  return retirement === "immediate" || (retirement === "gradual" && status === "available");
}

/** When a flagged tracker's timeline ends, in milliseconds since 1970; undefined for one that is not flagged. */
export function timelineEnd({ status, droppedAt }: PassTracker, timelineMs: number): number | undefined {
  return status === "flagged" && droppedAt ? droppedAt.getTime() + timelineMs : undefined;
}

/** The end of the timeline that ends first, or undefined if no tracker is flagged. */
export function earliestTimelineEnd(trackers: readonly PassTracker[], timelineMs: number): Date | undefined {
  let earliest = Number.POSITIVE_INFINITY;
  for (const tracker of trackers) earliest = Math.min(earliest, timelineEnd(tracker, timelineMs) ?? earliest);
  return earliest === Number.POSITIVE_INFINITY ? undefined : new Date(earliest);
}
