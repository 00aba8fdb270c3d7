import type { FieldCheck } from "./field-check.js";
import { type CallFlowStep, type CallFlowTarget, TargetOrder } from "./gen/calltracking/v1/call_flow_pb.js";
import { createRangeRule } from "./range-rule.js";
import { findSipUriProblem } from "./sip-uri.js";
import { findCallerTextProblem } from "./spoken-placeholder.js";
import { findPhoneNumberProblem } from "./telephony.js";
import { findSoundUrlProblem } from "./text.js";

const MAX_STEPS = 10;
const MAX_TARGETS = 10;

/**
 * @param field the path of the list of steps in the request, such as `settings.steps`. The paths in the reported violations start with this path.
 */
export function checkCallFlowSteps(check: FieldCheck, field: string, steps: readonly CallFlowStep[]): void {
  if (steps.length > MAX_STEPS) {
    check.report(field, `must contain at most ${MAX_STEPS} steps`);
    return;
  }
  steps.forEach((step, index) => {
    checkStep(check, `${field}[${index}]`, step, index === steps.length - 1);
  });
}

function checkStep(check: FieldCheck, path: string, step: CallFlowStep, isLast: boolean): void {
  const { targets, order, ringSeconds, voicemail } = step;
  if (voicemail !== undefined) {
    const { greetingText, greetingUrl, maxSeconds } = voicemail;
    check.report(`${path}.voicemail`, findVoicemailProblem(step, isLast));
    check.optional(`${path}.voicemail.greeting_text`, greetingText, (text) =>
      text === "" ? "must not be empty" : findCallerTextProblem(text),
    );
    check.optional(`${path}.voicemail.greeting_url`, greetingUrl, findSoundUrlProblem);
    check.optional(`${path}.voicemail.max_seconds`, maxSeconds, createRangeRule(5, 300));
    return;
  }
  check.optional(`${path}.order`, order, (given) =>
    given !== TargetOrder.UNSPECIFIED && given in TargetOrder ? undefined : "must be at_once, in_turn or shared",
  );
  check.optional(`${path}.ring_seconds`, ringSeconds, createRangeRule(5, 120));
  if (targets.length < 1 || targets.length > MAX_TARGETS) {
    check.report(`${path}.targets`, `must contain 1 to ${MAX_TARGETS} targets, unless the step is a voicemail`);
    return;
  }
  const earlier = new Set<string>();
  targets.forEach((target, index) => {
    const place = `${path}.targets[${index}]`;
    const problem = findTargetProblem(target);
    const destination = target.phoneNumber ?? target.sipUri ?? "original";
    if (problem !== undefined) check.report(place, problem);
    else if (earlier.has(destination)) check.report(place, "must not repeat an earlier target of the step");
    earlier.add(destination);
    check.optional(`${place}.phone_number`, target.phoneNumber, findPhoneNumberProblem);
    check.optional(`${place}.sip_uri`, target.sipUri, findSipUriProblem);
    check.optional(`${place}.weight`, target.weight, (weight) =>
      order === TargetOrder.SHARED ? createRangeRule(1, 100)(weight) : "may be set only if order is shared",
    );
  });
}

function findVoicemailProblem(
  { targets, order, ringSeconds, voicemail }: CallFlowStep,
  isLast: boolean,
): string | undefined {
  if (targets.length > 0 || order !== undefined || ringSeconds !== undefined) {
    return "must not be set with targets, order or ring_seconds: give the voicemail its own step";
  }
  if (!isLast) return "must be in the last step";
  const isOne = (voicemail?.greetingText === undefined) !== (voicemail?.greetingUrl === undefined);
  return isOne ? undefined : "must have exactly one of greeting_text and greeting_url";
}

function findTargetProblem({ original, phoneNumber, sipUri }: CallFlowTarget): string | undefined {
  const isOne = [original, phoneNumber, sipUri].filter((each) => each !== undefined).length === 1 && original !== false;
  return isOne ? undefined : "must have exactly one of original (true), phone_number and sip_uri";
}
