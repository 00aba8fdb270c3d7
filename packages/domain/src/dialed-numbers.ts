import type { CallFlowSettings } from "./gen/calltracking/v1/call_flow_pb.js";

/**
 * Returns the numbers in E.164 format that a call flow names to be dialed, by the field that names them, such as
 * `steps[0].targets[1].phone_number`. Does not contain the original number.
 */
export function dialedNumbersOf({
  fallbackNumber,
  steps,
  closedSteps,
}: CallFlowSettings): Readonly<Record<string, string>> {
  const numbers: Record<string, string> = fallbackNumber === undefined ? {} : { fallback_number: fallbackNumber };
  for (const [field, list] of Object.entries({ steps, closed_steps: closedSteps })) {
    for (const [step, { targets }] of list.entries()) {
      for (const [target, { phoneNumber }] of targets.entries()) {
        if (phoneNumber !== undefined) numbers[`${field}[${step}].targets[${target}].phone_number`] = phoneNumber;
      }
    }
  }
  return numbers;
}
