import { advisedSize } from "./advised-size.js";
import { createPassContext } from "./pass-context.js";
import type { PassInput } from "./pass-input.js";
import { type PassOutcome, runSteps } from "./pass-outcome.js";
import { earliestGracePeriodEnd } from "./pass-tracker.js";
import { explainRetiring, type RetiringTracker } from "./retiring-tracker.js";
import { explainSources, type SourceExplanation } from "./source-explanation.js";
import type { RankedSource } from "./source-ranking.js";

/** The state of a pool, what its next pass does, and why. */
export interface PoolExplanation {
  /**
   * The sources with visits, best first, then the sources without visits that hold a tracker. Of the sources that hold no tracker, only the
   * best 1000. Empty for a manual pool.
   */
  readonly sources: readonly SourceExplanation[];
  /** The trackers whose numbers are being retired. */
  readonly retiring: readonly RetiringTracker[];
  /** How many sources the pool serves at most; 0 for a manual pool. */
  readonly maxServedSources: number;
  /** The minimum number of visits that puts a source in the top, or level with the last source in it. Undefined if the pool serves none. */
  readonly cutOff: number | undefined;
  /** The top sources without a tracker, best first. */
  readonly unserved: readonly RankedSource[];
  /** How many numbers the inventory lacks to fill the pool; 0 for a frozen pool, which takes none. */
  readonly missing: number;
  /** When the next flagged tracker becomes available for another source; undefined if none will, or if the pool is frozen. */
  readonly nextFreeAt: Date | undefined;
  readonly advisedSize: number | undefined;
}

/** Explains the state of a pool, source by source, and what a pass would do now. Yields like `runPass`. */
export function* explainPoolState(input: PassInput): Generator<void, PoolExplanation> {
  const { pool, trackers } = input;
  const context = createPassContext(input);
  yield;
  const outcome = yield* runSteps(context, trackers);
  // The result of a pass as if the account of a frozen pool were enabled.
  const unfrozen = pool.isFrozen
    ? yield* runSteps({ ...context, pool: { ...pool, isFrozen: false } }, trackers)
    : outcome;
  const sources = pool.isManual ? [] : yield* explainSources(input, context, outcome);
  yield;
  return {
    sources,
    retiring: explainRetiring(input, outcome),
    maxServedSources: context.maxActive,
    cutOff: cutOff(outcome.top, context.maxActive, input.settings.visitThreshold),
    unserved: outcome.unserved,
    missing: outcome.missing,
    nextFreeAt: nextFreeAt(input, outcome),
    advisedSize: advisedSize(context, unfrozen),
  };
}

function nextFreeAt({ pool, settings }: PassInput, { trackers }: PassOutcome): Date | undefined {
  if (pool.isFrozen) return undefined;
  const returning = trackers.filter(({ retirement }) => retirement === undefined);
  return earliestGracePeriodEnd(returning, settings.gracePeriodMs);
}

function cutOff(top: readonly RankedSource[], maxActive: number, threshold: number): number | undefined {
  if (maxActive === 0) return undefined;
  return top[maxActive - 1]?.visits ?? threshold + 1;
}
