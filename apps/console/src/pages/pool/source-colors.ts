import type { NumberSpans } from "./spans";

const COLORS = 8;

/** Maps each source to the class of its color, in order of the sources' names. After the last color they begin again. */
export function sourceColors(numbers: readonly NumberSpans[]): ReadonlyMap<string, string> {
  const sources = new Set(numbers.flatMap(({ spans }) => spans.flatMap(({ source }) => source ?? [])));
  return new Map(
    Array.from(sources)
      .toSorted()
      .map((name, index) => [name, `series-${index % COLORS}`]),
  );
}
