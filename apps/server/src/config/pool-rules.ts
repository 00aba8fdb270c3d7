/** What deployments may set of how pools are managed. */
export interface PoolRules {
  /** The least number of sources that an automanaged pool serves, whatever its utilization. */
  readonly minimum: number;
  /** A source is served only if it brought more visits than this within the window. */
  readonly visitThreshold: number;
  /** How many UTC days the visit window has, today included. */
  readonly visitWindowDays: number;
  /** How long a flagged call tracker still tracks calls. */
  readonly timelineMs: number;
  /** Within this, a pool is managed after visits of its property were recorded. */
  readonly passIntervalMs: number;
  /** How long a number that was given back rests before it is assigned again. */
  readonly numberRestMs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The rules where nothing else is set. */
export const DEFAULT_RULES: PoolRules = {
  minimum: 1,
  visitThreshold: 100,
  visitWindowDays: 30,
  timelineMs: 30 * DAY_MS,
  passIntervalMs: 60_000,
  numberRestMs: 0,
};

/**
 * How long after visits were recorded a pool is due, and how often due pools are looked for: both together are one pass interval.
 * Visits that follow each other within this share a pass.
 */
export function lookIntervalMs({ passIntervalMs }: Pick<PoolRules, "passIntervalMs">): number {
  return passIntervalMs / 2;
}
