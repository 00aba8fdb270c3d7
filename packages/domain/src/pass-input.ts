import { computeShareRoundedDown } from "./exact-share.js";
import { isDeletedInNextPass, type PassTracker } from "./pass-tracker.js";
import type { RankedSource } from "./source-ranking.js";

/** The properties of a pool that passes use. */
export interface PassPool {
  readonly isManual: boolean;
  /** Whether the pool's account is disabled. Passes change nothing in a frozen pool. */
  readonly isFrozen: boolean;
  /** Maximum number of trackers in the pool. */
  readonly size: number;
  /** Maximum number of active trackers as a share of `size`, from 0 to 1; undefined for a manual pool. */
  readonly utilization: number | undefined;
}

/** The operator's settings, which apply to the passes over all pools. */
export interface PassSettings {
  /** The number of trackers that may always be active in an automanaged pool. It applies if the utilization of the pool allows fewer. */
  readonly minimum: number;
  /** The number of visits that a source must exceed to get a tracker. */
  readonly visitThreshold: number;
  /** How long a flagged tracker still tracks calls. */
  readonly gracePeriodMs: number;
}

/** All facts that determine the result of a pass over a pool. */
export interface PassInput {
  readonly pool: PassPool;
  /**
   * All trackers in the pool. In an automanaged pool, no two active trackers have the same source. An active and a flagged tracker, or two
   * flagged trackers, have the same source only if the number of one of them is being retired.
   */
  readonly trackers: readonly PassTracker[];
  /** The sources of the pool's property with their visits, without duplicates, in any order. */
  readonly sources: readonly RankedSource[];
  /** The free numbers with the pool's area code, in assignment order. */
  readonly inventory: readonly string[];
  readonly now: Date;
  readonly settings: PassSettings;
}

/**
 * Computes the maximum number of active trackers in a pool: the size times the utilization, rounded down, but at least `minimum`. Returns 0 for a
 * manual pool.
 */
export function computeMaxActiveTrackers(
  { isManual, size, utilization }: PassPool,
  { minimum }: Pick<PassSettings, "minimum">,
): number {
  return isManual ? 0 : Math.max(computeShareRoundedDown(size, utilization ?? 0), minimum);
}

/** Counts the numbers that the next pass needs from the inventory to fill a pool. 0 for a frozen pool. */
export function countNeededNumbers({ size, isFrozen }: PassPool, trackers: readonly PassTracker[]): number {
  return isFrozen ? 0 : Math.max(0, size - trackers.filter((each) => !isDeletedInNextPass(each)).length);
}
