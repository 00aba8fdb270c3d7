import type { CallFlowSettings, CallFlowStep } from "./gen/calltracking/v1/call_flow_pb.js";

/** Pairs of call flow settings that cannot both be set. A pool that sets one of a pair inherits neither of them from its account. */
export const EXCLUSIVE_SETTING_PAIRS = [
  ["promptText", "promptUrl"],
  ["whisperText", "whisperUrl"],
  ["closedText", "closedUrl"],
] as const;

/**
 * Returns the call flow settings of a pool, with its account's settings in place of unset ones. A pool that closes a date does not inherit
 * the date's special hours. A pool with special hours for a date does not inherit the date's closure. A pool with steps does not inherit a
 * fallback number, and a pool with a fallback number does not inherit steps.
 */
export function inheritCallFlowSettings(own: CallFlowSettings, inherited: CallFlowSettings): CallFlowSettings {
  const settings = { ...inherited };
  for (const pair of EXCLUSIVE_SETTING_PAIRS) {
    if (pair.some((name) => own[name] !== undefined)) for (const name of pair) delete settings[name];
  }
  const hasSteps = own.steps.length > 0 || own.closedSteps.length > 0;
  if (hasSteps) delete settings.fallbackNumber;
  const inheritedSteps = (steps: CallFlowStep[]) => (own.fallbackNumber === undefined ? steps : []);
  const isSpecial = (date: string) => own.specialDays.some((day) => day.date === date);
  const isClosed = (date = "") => own.closedDates.includes(date);
  const closedDates = inheritList(
    own.closedDates,
    inherited.closedDates.filter((date) => !isSpecial(date)),
  );
  const specialDays = inheritList(
    own.specialDays,
    inherited.specialDays.filter(({ date }) => !isClosed(date)),
  );
  const steps = inheritList(own.steps, inheritedSteps(inherited.steps));
  const closedSteps = inheritList(own.closedSteps, inheritedSteps(inherited.closedSteps));
  const set = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...settings, ...Object.fromEntries(set), closedDates, specialDays, steps, closedSteps };
}

function inheritList<Item>(own: Item[], inherited: Item[]): Item[] {
  return own.length > 0 ? own : inherited;
}
