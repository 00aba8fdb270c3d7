import { createPassContext } from "./pass-context.js";
import type { PassInput } from "./pass-input.js";
import { type PassOutcome, takeSteps } from "./pass-outcome.js";

export type { PassOutcome } from "./pass-outcome.js";

/**
 * One pass over a pool: what changes so that the best sources of its property have its trackers. A number is taken away from
 * a source only after its timeline, and an active or flagged tracker is never deleted for the pool's size. A clock that jumps
 * back only makes timelines end later.
 */
export function runPass(input: PassInput): PassOutcome {
  return takeSteps(createPassContext(input), input.trackers);
}
