import { createPassContext } from "./pass-context.js";
import type { PassInput } from "./pass-input.js";
import { type PassOutcome, runPassSteps } from "./pass-outcome.js";

export type { PassOutcome } from "./pass-outcome.js";

/**
 * Runs one pass over a pool: computes the changes after which the best sources of the pool's property have a call tracker.
 *
 * A source keeps its number until the grace period ends. Active and flagged trackers are never deleted to shrink the pool. If the clock jumps back,
 * grace periods end later.
 *
 * A pass yields between parts that each take a few milliseconds for the largest pool, so that the calling code can do other work in between. Plans
 * and explanations yield in the same way.
 */
export function* runPass(input: PassInput): Generator<void, PassOutcome> {
  const context = createPassContext(input);
  yield;
  return yield* runPassSteps(context, input.trackers);
}
