import type { CallFlowSettings } from "./gen/calltracking/v1/call_flow_pb.js";

/** Settings that exclude each other: one of a pool replaces both of its account. */
export const ALTERNATIVES = [
  ["promptText", "promptUrl"],
  ["whisperText", "whisperUrl"],
  ["closedText", "closedUrl"],
] as const;

/** Returns the settings of a pool over those of its account. Settings that neither has stay unset. */
export function inheritCallFlowSettings(own: CallFlowSettings, inherited: CallFlowSettings): CallFlowSettings {
  const settings = { ...inherited };
  for (const pair of ALTERNATIVES) {
    if (pair.some((name) => own[name] !== undefined)) for (const name of pair) delete settings[name];
  }
  const closedDates = own.closedDates.length > 0 ? own.closedDates : inherited.closedDates;
  const set = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...settings, ...Object.fromEntries(set), closedDates };
}
