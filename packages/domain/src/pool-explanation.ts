import { advisedSize } from "./advised-size.js";
import { createPassContext, type PassContext } from "./pass-context.js";
import type { PassInput } from "./pass-input.js";
import { type PassOutcome, takeSteps } from "./pass-outcome.js";
import { earliestTimelineEnd } from "./pass-tracker.js";
import { explainRetiring, type RetiringTracker } from "./retiring-tracker.js";
import { explainSources, type SourceExplanation } from "./source-explanation.js";
import type { RankedSource } from "./source-ranking.js";

/** How a pool stands, what its next pass does, and why. */
export interface PoolExplanation {
  /** All sources with visits, best first, then those that only hold a tracker; none for a manual pool. */
  readonly sources: readonly SourceExplanation[];
  /** The trackers whose numbers are being retired. */
  readonly retiring: readonly RetiringTracker[];
  /** How many sources can be served; 0 for a manual pool. */
  readonly servedAtMost: number;
  /** The fewest visits with which a source is among them or ties with the last of them; undefined if none can be. */
  readonly cutOff: number | undefined;
  /** The best sources that are left without a tracker, best first. */
  readonly unserved: readonly RankedSource[];
  /** How many numbers the inventory lacks to fill the pool; 0 for a frozen one, which takes none. */
  readonly missing: number;
  /** When the next number leaves its source for another; undefined if no number is going to, or the pool is frozen. */
  readonly nextFreeAt: Date | undefined;
  /** The least size with which every source above the threshold would be served; see `advisedSize`. */
  readonly advisedSize: number | undefined;
}

/** How a pool stands, source by source, and what a pass would do now. The sources of a manual pool do not matter to it. */
export function explainPool(input: PassInput): PoolExplanation {
  const context = createPassContext(input);
  const outcome = takeSteps(context, input.trackers);
  return {
    sources: input.pool.isManual ? [] : explainSources(input, context, outcome),
    retiring: explainRetiring(input, outcome),
    servedAtMost: context.atMost,
    cutOff: cutOff(outcome.top, context.atMost, input.settings.visitThreshold),
    unserved: outcome.unserved,
    missing: outcome.missing,
    nextFreeAt: nextFreeAt(input, outcome),
    advisedSize: advisedSize(input, input.pool.isFrozen ? thawedOutcome(context, input) : outcome),
  };
}

/** What a pass over a frozen pool would do if its account were enabled. */
function thawedOutcome(context: PassContext, { pool, trackers }: PassInput): PassOutcome {
  return takeSteps({ ...context, pool: { ...pool, isFrozen: false } }, trackers);
}

function nextFreeAt({ pool, settings }: PassInput, { trackers }: PassOutcome): Date | undefined {
  if (pool.isFrozen) return undefined;
  const returning = trackers.filter(({ retirement }) => retirement === undefined);
  return earliestTimelineEnd(returning, settings.timelineMs);
}

function cutOff(top: readonly RankedSource[], atMost: number, threshold: number): number | undefined {
  if (atMost === 0) return undefined;
  return top[atMost - 1]?.visits ?? threshold + 1;
}
