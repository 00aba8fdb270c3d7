import { findAdvisedPoolSize } from "./advised-pool-size.js";
import { createPassContext } from "./pass-context.js";
import type { PassInput } from "./pass-input.js";
import { type PassOutcome, runPassSteps } from "./pass-outcome.js";
import { findEarliestGracePeriodEnd } from "./pass-tracker.js";
import { explainRetiringTrackers, type RetiringTracker } from "./retiring-tracker.js";
import { explainSources, type SourceExplanation } from "./source-explanation.js";
import type { RankedSource } from "./source-ranking.js";

/** The explanation of a pool: its state, the changes that the next pass makes, and the reasons. */
export interface PoolExplanation {
  /**
   * The sources with visits, best first, then the sources without visits that have a tracker. Of the sources without a tracker, only the best 1000
   * are included. Empty for a manual pool.
   */
  readonly sources: readonly SourceExplanation[];
  /** The trackers whose numbers are being retired. */
  readonly retiring: readonly RetiringTracker[];
  /** Maximum number of sources that the pool serves at a time; 0 for a manual pool. */
  readonly maxServedSources: number;
  /**
   * The minimum number of visits with which a source gets a tracker, or ties with the last source that gets one. Undefined if the pool serves no
   * sources.
   */
  readonly cutOff: number | undefined;
  /** The sources that should have an active tracker but have none after the next pass, best first. */
  readonly unserved: readonly RankedSource[];
  /** How many more free numbers are needed to fill the pool; 0 for a frozen pool, because passes do not fill it. */
  readonly missing: number;
  /** When the next flagged tracker becomes available for another source; undefined if no tracker does, or if the pool is frozen. */
  readonly nextFreeAt: Date | undefined;
  readonly advisedSize: number | undefined;
}

/**
 * Explains the state of a pool for each source, and the changes that a pass at the current time would make. Yields between short parts, as `runPass`
 * does.
 */
export function* explainPoolState(input: PassInput): Generator<void, PoolExplanation> {
  const { pool, trackers } = input;
  const context = createPassContext(input);
  yield;
  const outcome = yield* runPassSteps(context, trackers);
  // The result that a pass over a frozen pool would have if its account were enabled.
  const unfrozen = pool.isFrozen
    ? yield* runPassSteps({ ...context, pool: { ...pool, isFrozen: false } }, trackers)
    : outcome;
  const sources = pool.isManual ? [] : yield* explainSources(input, context, outcome);
  yield;
  return {
    sources,
    retiring: explainRetiringTrackers(input, outcome),
    maxServedSources: context.maxActive,
    cutOff: cutOff(outcome.top, context.maxActive, input.settings.visitThreshold),
    unserved: outcome.unserved,
    missing: outcome.missing,
    nextFreeAt: nextFreeAt(input, outcome),
    advisedSize: findAdvisedPoolSize(context, unfrozen),
  };
}

function nextFreeAt({ pool, settings }: PassInput, { trackers }: PassOutcome): Date | undefined {
  if (pool.isFrozen) return undefined;
  const returning = trackers.filter(({ retirement }) => retirement === undefined);
  return findEarliestGracePeriodEnd(returning, settings.gracePeriodMs);
}

function cutOff(top: readonly RankedSource[], maxActive: number, threshold: number): number | undefined {
  if (maxActive === 0) return undefined;
  return top[maxActive - 1]?.visits ?? threshold + 1;
}
