import type { NumberHistory } from "./status-period";

const COLORS = 8;

/** Maps each source to the CSS class of its color. Colors are given in order of the sources' names, and repeat after the last one. */
export function sourceColors(numbers: readonly NumberHistory[]): ReadonlyMap<string, string> {
  const sources = new Set(numbers.flatMap(({ periods }) => periods.flatMap(({ source }) => source ?? [])));
  return new Map(
    Array.from(sources)
      .toSorted()
      .map((name, index) => [name, `series-${index % COLORS}`]),
  );
}
