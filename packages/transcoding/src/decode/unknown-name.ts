import { findNearestName } from "./nearest-name.js";

const MAX_NAMES = 30;

/**
 * Describes the violation of an unknown name: `is an unknown field; did you mean size? The fields are: area_code, size`. Long
 * lists are cut.
 *
 * @param noun the kind of thing that the name denotes, such as `field`.
 * @param updateExample an example body for update methods. The message is then `cannot be changed; the fields that can change
 * are: …`.
 */
export function describeUnknownName(
  noun: string,
  name: string,
  names: readonly string[],
  updateExample?: string,
): string {
  if (names.length === 0) {
    return `is an unknown ${noun}; there are none`;
  }
  const nearest = findNearestName(name, names);
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  const list = `${names.slice(0, MAX_NAMES).join(", ")}${more}`;
  const hint = nearest === undefined ? "the" : `did you mean ${nearest}? The`;
  if (updateExample === undefined) return `is an unknown ${noun}; ${hint} ${noun}s are: ${list}`;
  const problem = nearest === undefined ? "cannot be changed" : `is an unknown ${noun}`;
  return `${problem}; ${hint} ${noun}s that can change are: ${list}, as in ${updateExample}`;
}
