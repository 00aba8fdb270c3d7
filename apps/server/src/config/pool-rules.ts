import { SETTINGS_SCHEMA, type Settings } from "./settings.js";

const GRACE_PERIOD_MS = 30 * 24 * 60 * 60 * 1000;

/** The rules of pool management that settings configure. */
export interface PoolRules {
  /** How many sources an automanaged pool always serves, even if its utilization permits fewer. */
  readonly minimum: number;
  /** A pool serves a source only if the source brought more visits than this within the visit window. */
  readonly visitThreshold: number;
  /** Length of the visit window in UTC days, including today. */
  readonly visitWindowDays: number;
  /** How long a flagged call tracker still tracks calls. */
  readonly gracePeriodMs: number;
  /** Maximum time from a recorded visit to the next pass over the pools of its property. */
  readonly passIntervalMs: number;
  /** How long a number must remain unassigned after a call tracker returned it. */
  readonly numberRestMs: number;
}

export function createPoolRules(settings: Settings): PoolRules {
  return {
    minimum: settings.POOL_MINIMUM,
    visitThreshold: settings.VISIT_THRESHOLD,
    visitWindowDays: settings.VISIT_WINDOW_DAYS,
    gracePeriodMs: settings.GRACE_PERIOD ?? settings.TIMELINE ?? GRACE_PERIOD_MS,
    passIntervalMs: settings.PASS_INTERVAL,
    numberRestMs: settings.NUMBER_REST,
  };
}

export const DEFAULT_POOL_RULES = createPoolRules(SETTINGS_SCHEMA.parse({}));

/**
 * Returns half of the pass interval. A pool becomes due for a pass this long after a recorded visit, and the scheduler checks for due pools this
 * often. Together, the two delays take at most one pass interval. Visits within half an interval share a pass.
 */
export function computeDueCheckIntervalMs({ passIntervalMs }: Pick<PoolRules, "passIntervalMs">): number {
  return passIntervalMs / 2;
}
