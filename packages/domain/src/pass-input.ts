import { exactShare } from "./exact-share.js";
import { leavesAtOnce, type PassTracker } from "./pass-tracker.js";
import type { RankedSource } from "./source-ranking.js";

/** A pool as far as a pass needs to know it. */
export interface PassPool {
  readonly isManual: boolean;
  /** Whether its account is disabled, so that no pass changes anything. */
  readonly isFrozen: boolean;
  /** The most trackers that it is to have. */
  readonly size: number;
  /** The share of them to be active, 0 to 1; undefined for a manual pool. */
  readonly utilization: number | undefined;
}

/** What an operator sets for all pools. */
export interface PassSettings {
  /** How many trackers a pool may always have active, however small its utilization. */
  readonly minimum: number;
  /** A source needs more visits than this. */
  readonly visitThreshold: number;
  /** How long a flagged tracker still tracks calls. */
  readonly timelineMs: number;
}

/** Everything that a pass over a pool depends on. */
export interface PassInput {
  readonly pool: PassPool;
  /**
   * The pool's own. Of an automanaged pool, no two active ones have the same source, and no two active or flagged ones whose
   * numbers are not being retired.
   */
  readonly trackers: readonly PassTracker[];
  /** Of the pool's property, in any order, each once. */
  readonly sources: readonly RankedSource[];
  /** The numbers of the pool's area code that are free, in the order in which they are to be taken. */
  readonly inventory: readonly string[];
  readonly now: Date;
  readonly settings: PassSettings;
}

/** How many trackers a pass lets be active at most: the exact share of the size, but never less than the minimum. */
export function activeAtMost(
  { isManual, size, utilization }: PassPool,
  { minimum }: Pick<PassSettings, "minimum">,
): number {
  return isManual ? 0 : Math.max(exactShare(size, utilization ?? 0), minimum);
}

/** How many numbers a pass over a pool takes from the inventory if that has as many. */
export function countVacancies({ size, isFrozen }: PassPool, trackers: readonly PassTracker[]): number {
  return isFrozen ? 0 : Math.max(0, size - trackers.filter((each) => !leavesAtOnce(each)).length);
}
