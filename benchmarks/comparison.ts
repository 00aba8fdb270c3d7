/** The median, minimum and maximum of a figure over rounds or runs. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Returns, for each round, the figure of one server divided by that of another. `one` and `other` are the indexes of the servers. */
export function computeRoundRatios<F extends string>(
  rounds: readonly (readonly Readonly<Record<F, number>>[])[],
  figure: F,
  one: number,
  other: number,
): number[] {
  return rounds.map((round) => (round[one]?.[figure] ?? Number.NaN) / (round[other]?.[figure] ?? Number.NaN));
}

export function computeSpread(values: readonly (number | undefined)[]): Spread {
  const sorted = values.map((value) => value ?? Number.NaN).toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const high = sorted[Math.floor(middle)] ?? Number.NaN;
  return { median: (low + high) / 2, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/** Formats a ratio for a table, as the median with the minimum and maximum in brackets. */
export function formatRatioSpread({ median, min, max }: Spread): string {
  return Number.isNaN(median) ? "–" : `**${median.toFixed(2)}×** (${min.toFixed(2)}–${max.toFixed(2)})`;
}

export function formatWholeNumberSpread({ median, min, max }: Spread): string {
  return `**${median.toFixed(0)}** (${min.toFixed(0)}–${max.toFixed(0)})`;
}
