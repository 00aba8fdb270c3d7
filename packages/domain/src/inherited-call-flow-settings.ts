import type { CallFlowSettings, CallFlowStep } from "./gen/calltracking/v1/call_flow_pb.js";

/** Settings that exclude each other: one of a pool replaces both of its account. */
export const ALTERNATIVES = [
  ["promptText", "promptUrl"],
  ["whisperText", "whisperUrl"],
  ["closedText", "closedUrl"],
] as const;

/**
 * Returns the settings of a pool over those of its account. Settings that neither has stay unset. A date that the pool has as closed or
 * special is not inherited as the other. Neither is a fallback number beside steps of the pool, nor steps beside its fallback number.
 */
export function inheritCallFlowSettings(own: CallFlowSettings, inherited: CallFlowSettings): CallFlowSettings {
  const settings = { ...inherited };
  for (const pair of ALTERNATIVES) {
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
