/**
 * Finds the name that a mistyped name most likely stands for: the one with the smallest edit distance, if that is at most two
 * and less than half of its length. Returns undefined if there is none.
 */
export function findNearestName(mistyped: string, names: readonly string[]): string | undefined {
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
