const MAX_NAMES = 5;

/** Joins names for an error message, as in `a, b and c`. Shows at most five names, as in `a, b, c, d, e and 2 more`. */
export function joinNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES);
  const rest = names.length > MAX_NAMES ? `${names.length - MAX_NAMES} more` : shown.pop();
  return [shown.join(", "), rest].filter(Boolean).join(" and ");
}
