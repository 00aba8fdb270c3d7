import { compareCodePoints } from "./code-point-order.js";
import type { SourceMedium } from "./source-medium.js";

/** The status of a call tracker. Active and flagged call trackers track calls; available ones do not. */
export type TrackerStatus = "available" | "active" | "flagged";

/** When a retired number is taken from its call tracker: once the call tracker tracks no calls (`gradual`), or in the next pass (`immediate`). */
export type RetirementMode = "gradual" | "immediate";

/** The properties of a call tracker that passes read and change. */
export interface PassTracker {
  /** The number in E.164 format. It identifies the tracker, because a number belongs to one tracker at a time. */
  readonly trackingNumber: string;
  readonly status: TrackerStatus;
  /** The source of an active or flagged tracker in an automanaged pool; undefined for other trackers. */
  readonly source: SourceMedium | undefined;
  /** When a flagged tracker was flagged; undefined for other trackers. */
  readonly droppedAt: Date | undefined;
  /** When the tracker last became available. The tracker that has been available longest is activated first. */
  readonly availableSince: Date;
  /** How the tracker's number is being retired; undefined if it is not being retired. */
  readonly retirement: RetirementMode | undefined;
}

/** Compares two available trackers by activation order: the tracker that has been available longest is first. */
export function compareActivationOrder(one: PassTracker, other: PassTracker): number {
  return (
    one.availableSince.getTime() - other.availableSince.getTime() ||
    compareCodePoints(one.trackingNumber, other.trackingNumber)
  );
}

/** Reports whether the next pass deletes a tracker because its number is being retired. */
export function isDeletedInNextPass({ retirement, status }: PassTracker): boolean {
  return retirement === "immediate" || (retirement === "gradual" && status === "available");
}

/** Returns when the grace period of a flagged tracker ends, in milliseconds since 1970; undefined for other trackers. */
export function findGracePeriodEnd({ status, droppedAt }: PassTracker, gracePeriodMs: number): number | undefined {
  return status === "flagged" && droppedAt ? droppedAt.getTime() + gracePeriodMs : undefined;
}

/** Returns undefined if no tracker is flagged. */
export function findEarliestGracePeriodEnd(trackers: readonly PassTracker[], gracePeriodMs: number): Date | undefined {
  let earliest = Number.POSITIVE_INFINITY;
  for (const tracker of trackers) earliest = Math.min(earliest, findGracePeriodEnd(tracker, gracePeriodMs) ?? earliest);
  return earliest === Number.POSITIVE_INFINITY ? undefined : new Date(earliest);
}
