import { advisedSize } from "./advised-size.js";
import { createPassContext } from "./pass-context.js";
import type { PassInput } from "./pass-input.js";
import { takeSteps } from "./pass-outcome.js";
import { earliestTimelineEnd } from "./pass-tracker.js";
import { explainSources, type SourceExplanation } from "./source-explanation.js";
import type { RankedSource } from "./source-ranking.js";

/** How a pool stands after a pass, and why. */
export interface PoolExplanation {
  /** All sources with visits, best first, then those that only hold a tracker; none for a manual pool. */
  readonly sources: readonly SourceExplanation[];
  /** How many sources can be served; 0 for a manual pool. */
  readonly servedAtMost: number;
  /** The fewest visits with which a source is among them or ties with the last of them; undefined if none can be. */
  readonly cutOff: number | undefined;
  /** The best sources that got no tracker, best first. */
  readonly unserved: readonly RankedSource[];
  /** How many numbers the inventory lacks to fill the pool. */
  readonly missing: number;
  /** When the next number leaves its source, if that does not come back; undefined if no tracker is flagged. */
  readonly nextFreeAt: Date | undefined;
  /** The least size with which every source above the threshold would be served; see `advisedSize`. */
  readonly advisedSize: number | undefined;
}

/** How a pool stands, source by source, once a pass has run now. The sources of a manual pool do not matter to it. */
export function explainPool(input: PassInput): PoolExplanation {
  const context = createPassContext(input);
  const outcome = takeSteps(context, input.trackers);
  return {
    sources: input.pool.isManual ? [] : explainSources(input, context, outcome),
    servedAtMost: context.atMost,
    cutOff: cutOff(outcome.top, context.atMost, input.settings.visitThreshold),
    unserved: outcome.unserved,
    missing: outcome.missing,
    nextFreeAt: earliestTimelineEnd(outcome.trackers, input.settings.timelineMs),
    advisedSize: advisedSize(input, outcome),
  };
}

function cutOff(top: readonly RankedSource[], atMost: number, threshold: number): number | undefined {
  if (atMost === 0) return undefined;
  return top[atMost - 1]?.visits ?? threshold + 1;
}
