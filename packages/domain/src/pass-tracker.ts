import { compareCodePoints } from "./code-point-order.js";
import type { SourceMedium } from "./source-medium.js";

/** The status of a call tracker. Active and flagged ones track calls. */
export type TrackerStatus = "available" | "active" | "flagged";

/** How a number is retired: when its call tracker no longer tracks calls, or immediately, in the next pass. */
export type Retirement = "gradual" | "immediate";

/** The properties of a call tracker that passes use. */
export interface PassTracker {
  /** Unique, because a number belongs to one tracker at a time. */
  readonly trackingNumber: string;
  readonly status: TrackerStatus;
  /** The source of an active or flagged tracker in an automanaged pool; undefined for other trackers. */
  readonly source: SourceMedium | undefined;
  /** When a flagged tracker was flagged; undefined for other trackers. */
  readonly droppedAt: Date | undefined;
  /** When the tracker last became available. Available trackers are activated in this order, oldest first. */
  readonly availableSince: Date;
  /** Undefined unless the number is being retired. */
  readonly retirement: Retirement | undefined;
}

/** The activation order of available trackers: the one that has been available longest first. */
export function compareAvailability(one: PassTracker, other: PassTracker): number {
  return (
    one.availableSince.getTime() - other.availableSince.getTime() ||
    compareCodePoints(one.trackingNumber, other.trackingNumber)
  );
}

/** Reports whether the next pass deletes the tracker because its number is being retired. */
export function isDeletedNextPass({ retirement, status }: PassTracker): boolean {
  return retirement === "immediate" || (retirement === "gradual" && status === "available");
}

/** Returns when a flagged tracker's grace period ends, in milliseconds since 1970; undefined for other trackers. */
export function gracePeriodEnd({ status, droppedAt }: PassTracker, gracePeriodMs: number): number | undefined {
  return status === "flagged" && droppedAt ? droppedAt.getTime() + gracePeriodMs : undefined;
}

/** Undefined if no tracker is flagged. */
export function earliestGracePeriodEnd(trackers: readonly PassTracker[], gracePeriodMs: number): Date | undefined {
  let earliest = Number.POSITIVE_INFINITY;
  for (const tracker of trackers) earliest = Math.min(earliest, gracePeriodEnd(tracker, gracePeriodMs) ?? earliest);
  return earliest === Number.POSITIVE_INFINITY ? undefined : new Date(earliest);
}
