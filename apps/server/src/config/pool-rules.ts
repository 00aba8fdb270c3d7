import { SETTINGS, type Settings } from "./settings.js";

const GRACE_PERIOD_MS = 30 * 24 * 60 * 60 * 1000;

/** Configurable rules of pool management. */
export interface PoolRules {
  /** Minimum number of sources that an automanaged pool serves, whatever its utilization. */
  readonly minimum: number;
  /** A source is served only if it brought more visits than this within the window. */
  readonly visitThreshold: number;
  /** Length of the visit window in UTC days, including today. */
  readonly visitWindowDays: number;
  /** How long a flagged call tracker still tracks calls: the setting GRACE_PERIOD. */
  readonly gracePeriodMs: number;
  /** Maximum time between recorded visits and the next pass over the pools of their property. */
  readonly passIntervalMs: number;
  /** How long a returned number rests before it can be assigned again. */
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

/** The rules if no setting is set. */
export const DEFAULT_POOL_RULES = createPoolRules(SETTINGS.parse({}));

/**
 * Returns half of the pass interval. A pool becomes due this long after recorded visits, and the scheduler checks for due pools this often,
 * so both together take at most one pass interval. Visits within this time share a pass.
 */
export function dueCheckIntervalMs({ passIntervalMs }: Pick<PoolRules, "passIntervalMs">): number {
  return passIntervalMs / 2;
}
