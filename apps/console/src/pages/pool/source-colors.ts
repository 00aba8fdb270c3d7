import type { TrackingNumberHistory } from "./status-period";

const COLORS = 8;

/** Maps each source to the CSS class of its color. Colors are assigned in alphabetical order of sources, and repeat after `COLORS` sources. */
export function assignSourceColors(numbers: readonly TrackingNumberHistory[]): ReadonlyMap<string, string> {
  const sources = new Set(numbers.flatMap(({ periods }) => periods.flatMap(({ source }) => source ?? [])));
  return new Map(
    Array.from(sources)
      .toSorted()
      .map((name, index) => [name, `series-${index % COLORS}`]),
  );
}
