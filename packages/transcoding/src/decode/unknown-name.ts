import { findNearestName } from "./nearest-name.js";

const MAX_NAMES = 30;

/**
 * Says what to do about an unknown name: `is an unknown field; did you mean size? The fields are: area_code, size`.
 * `noun` says what it names. Long lists are cut.
 */
export function describeUnknownName(noun: string, name: string, names: readonly string[]): string {
  if (names.length === 0) {
    return `is an unknown ${noun}; there are none`;
  }
  const nearest = findNearestName(name, names);
  const hint = nearest === undefined ? "the" : `did you mean ${nearest}? The`;
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `is an unknown ${noun}; ${hint} ${noun}s are: ${names.slice(0, MAX_NAMES).join(", ")}${more}`;
}
