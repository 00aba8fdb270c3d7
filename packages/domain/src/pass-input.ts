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
  /** Maximum number of active trackers as a share of `size`, from 0 to 1; undefined for a manual pool. */
  readonly utilization: number | undefined;
}

/** The operator's settings for all pools. */
export interface PassSettings {
  /** How many trackers may always be active in a pool, even if its utilization allows fewer. */
  readonly minimum: number;
  /** A source needs more visits than this to get a tracker. */
  readonly visitThreshold: number;
  /** How long a flagged tracker still tracks calls. */
  readonly gracePeriodMs: number;
}

/** All that the result of a pass depends on. */
export interface PassInput {
  readonly pool: PassPool;
  /**
   * All trackers in the pool. In an automanaged pool, no two active trackers have the same source. An active and a flagged tracker, or two
   * flagged ones, have the same source only if the number of one of them is being retired.
   */
  readonly trackers: readonly PassTracker[];
  /** The sources of the pool's property, without duplicates, in any order. */
  readonly sources: readonly RankedSource[];
  /** The free numbers with the pool's area code, in assignment order. */
  readonly inventory: readonly string[];
  readonly now: Date;
  readonly settings: PassSettings;
}

/** Returns how many trackers passes may keep active: size times utilization, but at least the minimum; 0 in a manual pool. */
export function maxActiveTrackers(
  { isManual, size, utilization }: PassPool,
  { minimum }: Pick<PassSettings, "minimum">,
): number {
  return isManual ? 0 : Math.max(exactShare(size, utilization ?? 0), minimum);
}

/** Returns how many numbers a pass needs from the inventory to fill the pool. */
export function countVacancies({ size, isFrozen }: PassPool, trackers: readonly PassTracker[]): number {
  return isFrozen ? 0 : Math.max(0, size - trackers.filter((each) => !isDeletedNextPass(each)).length);
}
