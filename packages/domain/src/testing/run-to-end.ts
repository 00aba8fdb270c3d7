import type { PassInput } from "../pass-input.js";
import * as explanations from "../pool-explanation.js";
import * as plans from "../pool-plan.js";
import * as passes from "../run-pass.js";

/** Runs a pass without pauses. */
export const runPass = (input: PassInput) => runToEnd(passes.runPass(input));

/** Explains a pool without pauses. */
export const explainPoolState = (input: PassInput) => runToEnd(explanations.explainPoolState(input));

/** Plans a change of a pool without pauses. */
export const forecastPoolUpdate = (...input: Parameters<typeof plans.forecastPoolUpdate>) =>
  runToEnd(plans.forecastPoolUpdate(...input));

function runToEnd<T>(calculation: Generator<void, T>): T {
  let step = calculation.next();
  while (!step.done) step = calculation.next();
  return step.value;
}
