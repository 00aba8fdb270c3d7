import { Settings } from "./settings.js";

/** Configurable rules of pool management. */
export interface PoolRules {
  /** Minimum number of sources that an automanaged pool serves, whatever its utilization. */
  readonly minimum: number;
  /** A source is served only if it brought more visits than this within the window. */
  readonly visitThreshold: number;
  /** Length of the visit window in UTC days, including today. */
  readonly visitWindowDays: number;
  /** How long a flagged call tracker still tracks calls. */
  readonly timelineMs: number;
  /** Maximum time between recorded visits and the next pass over the pools of their property. */
  readonly passIntervalMs: number;
  /** How long a returned number rests before it can be assigned again. */
  readonly numberRestMs: number;
}

/** Reads the rules of pool management. */
export function readPoolRules(settings: Settings): PoolRules {
  return {
    minimum: settings.count("POOL_MINIMUM", 1, 0),
    visitThreshold: settings.count("VISIT_THRESHOLD", 100, 0),
    visitWindowDays: settings.count("VISIT_WINDOW_DAYS", 30, 1),
    timelineMs: settings.duration("TIMELINE", "30d"),
    passIntervalMs: settings.duration("PASS_INTERVAL", "60s", 1),
    numberRestMs: settings.duration("NUMBER_REST", "0s"),
  };
}

/** The rules of a deployment that sets none. */
export const DEFAULT_POOL_RULES = readPoolRules(new Settings({}));

/**
 * Half of the pass interval. A pool becomes due this long after recorded visits, and the scheduler checks for due pools
 * this often, so both together take one pass interval. Visits within this time share a pass.
 */
export function dueCheckIntervalMs({ passIntervalMs }: Pick<PoolRules, "passIntervalMs">): number {
  return passIntervalMs / 2;
}
