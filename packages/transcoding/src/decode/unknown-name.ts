const MAX_NAMES = 30;

/**
 * Describes the violation for an unknown name, such as `is an unknown field; did you mean size? The fields are: area_code, size`. Lists at most 30
 * names.
 *
 * @param noun the kind of the named thing, such as `field`.
 * @param updateExample an example body, if the method updates a resource. The text is then `cannot be changed; the fields that can change are: …`.
 */
export function describeUnknownName(
  noun: string,
  name: string,
  names: readonly string[],
  updateExample?: string,
): string {
  if (names.length === 0) {
    return `is an unknown ${noun}: remove it, because no ${noun}s are accepted here`;
  }
  const nearest = findNearestName(name, names);
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  const list = `${names.slice(0, MAX_NAMES).join(", ")}${more}`;
  const hint = nearest === undefined ? "the" : `did you mean ${nearest}? The`;
  if (updateExample === undefined) return `is an unknown ${noun}; ${hint} ${noun}s are: ${list}`;
  const problem = nearest === undefined ? "cannot be changed" : `is an unknown ${noun}`;
  return `${problem}; ${hint} ${noun}s that can change are: ${list}, as in ${updateExample}`;
}

/**
 * Finds the name that the client most likely meant: the name with the smallest edit distance from `mistyped`. The distance must be at most two and
 * less than half the length of the found name. Returns undefined if there is no such name.
 */
function findNearestName(mistyped: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let fewest = 3;
  for (const name of names) {
    const edits = Math.abs(name.length - mistyped.length) < fewest ? countEdits(mistyped, name) : fewest;
    if (edits < fewest && edits * 2 < name.length) {
      nearest = name;
      fewest = edits;
    }
  }
  return nearest;
}

/** Returns the Levenshtein distance of two texts. */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
