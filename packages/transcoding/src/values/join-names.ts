const MAX_NAMES = 5;

/** Joins names for a message: `a, b and c`. A list of more than five names is cut: `a, b, c, d, e and 2 more`. */
export function joinNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES);
  const rest = names.length > MAX_NAMES ? `${names.length - MAX_NAMES} more` : shown.pop();
  return [shown.join(", "), rest].filter(Boolean).join(" and ");
}
