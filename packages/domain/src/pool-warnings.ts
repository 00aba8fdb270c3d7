import { PoolWarning } from "./gen/calltracking/v1/pool_pb.js";

/** The state of a pool that determines its warnings. */
export interface PoolWarningInput {
  /** Whether the pool's account is disabled. */
  readonly isFrozen: boolean;
  /** Number of sources that should have a call tracker but have none. */
  readonly unservedSources: number;
  /** How many more free numbers with the pool's area code are needed to fill the pool. */
  readonly missingNumbers: number;
  /** Number of call trackers in the pool. */
  readonly trackers: number;
  readonly size: number;
  readonly isDni: boolean;
  readonly hasProperty: boolean;
  /** Number of passes over the pool that have failed since the last successful pass. */
  readonly failedPasses: number;
}

/** Derives the warnings of a pool. A frozen pool has no warnings that result from passes, because no passes run over it. */
export function derivePoolWarnings(pool: PoolWarningInput): PoolWarning[] {
  const ofPasses: readonly [PoolWarning, boolean][] = [
    [PoolWarning.STARVED, pool.unservedSources > 0],
    [PoolWarning.NUMBERS_MISSING, pool.missingNumbers > 0],
    [PoolWarning.OVER_SIZE, pool.trackers > pool.size],
    [PoolWarning.FAILING, pool.failedPasses > 0],
  ];
  const warnings: readonly [PoolWarning, boolean][] = [
    [PoolWarning.FROZEN, pool.isFrozen],
    ...(pool.isFrozen ? [] : ofPasses),
    [PoolWarning.NOT_SHOWN, pool.isDni && !pool.hasProperty],
  ];
  return warnings.flatMap(([warning, holds]) => (holds ? [warning] : []));
}
