const COLORS = 8;

/** Maps each source to the class of its color, in order of the sources' names. After the last color they begin again. */
export function sourceColors(sources: Iterable<string>): ReadonlyMap<string, string> {
  const names = Array.from(new Set(sources)).toSorted();
  return new Map(names.map((name, index) => [name, `series-${index % COLORS}`]));
}
