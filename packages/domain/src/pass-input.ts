import { exactShare } from "./exact-share.js";
import { isDeletedNextPass, type PassTracker } from "./pass-tracker.js";
import type { RankedSource } from "./source-ranking.js";

/** The properties of a pool that passes use. */
export interface PassPool {
  readonly isManual: boolean;
  /** Whether the pool's account is disabled. Passes change nothing in a frozen pool. */
  readonly isFrozen: boolean;
  /** Maximum number of trackers. */
  readonly size: number;
  /** Maximum share of active trackers, 0 to 1; undefined for a manual pool. */
  readonly utilization: number | undefined;
}

/** Operator settings that apply to all pools. */
export interface PassSettings {
  /** Number of trackers that a pool may always have active, even with a low utilization. */
  readonly minimum: number;
  /** A source needs more visits than this to get a tracker. */
  readonly visitThreshold: number;
  /** How long a flagged tracker keeps tracking calls. */
  readonly gracePeriodMs: number;
}

/** Everything that the result of a pass depends on. */
export interface PassInput {
  readonly pool: PassPool;
  /**
   * All trackers of the pool. In an automanaged pool, no two active trackers have the same source. Neither do two
   * active or flagged trackers, unless the number of one is being retired.
   */
  readonly trackers: readonly PassTracker[];
  /** The sources of the pool's property, without duplicates, in any order. */
  readonly sources: readonly RankedSource[];
  /** The free numbers of the pool's area code, in assignment order. */
  readonly inventory: readonly string[];
  readonly now: Date;
  readonly settings: PassSettings;
}

/**
 * Returns the maximum number of active trackers: the share of the pool's size, but at least the minimum. A pass
 * activates no trackers in a manual pool.
 */
export function maxActiveTrackers(
  { isManual, size, utilization }: PassPool,
  { minimum }: Pick<PassSettings, "minimum">,
): number {
  return isManual ? 0 : Math.max(exactShare(size, utilization ?? 0), minimum);
}

/** Returns the number of inventory numbers that a pass needs to fill the pool. */
export function countVacancies({ size, isFrozen }: PassPool, trackers: readonly PassTracker[]): number {
  return isFrozen ? 0 : Math.max(0, size - trackers.filter((each) => !isDeletedNextPass(each)).length);
}
