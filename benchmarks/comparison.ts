import type { Measurement } from "./server-under-load.ts";

/** A figure: its median, minimum and maximum over the rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Calltrack compared with another server: each figure divided by that of the other server in the same round. */
export type Comparison = { readonly [F in Figure]: Spread };

/** The compared figures. */
export type Figure = keyof Measurement;

/** Compares the servers at two positions of each round. */
export function compare(rounds: readonly (readonly Measurement[])[], first: number, second: number): Comparison {
  const ratio = (figure: Figure) =>
    spreadOf(rounds.map((round) => (round[first]?.[figure] ?? Number.NaN) / (round[second]?.[figure] ?? Number.NaN)));
  const figures = Object.keys(rounds[0]?.[0] ?? {}) as Figure[];
  return Object.fromEntries(figures.map((figure) => [figure, ratio(figure)])) as Comparison;
}

/** Returns the median of a figure over the rounds, for the server at one position. */
export function medianOf(rounds: readonly (readonly Measurement[])[], place: number, figure: Figure): number {
  return spreadOf(rounds.map((round) => round[place]?.[figure] ?? Number.NaN)).median;
}

/** Returns the median, minimum and maximum of values. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const high = sorted[Math.floor(middle)] ?? Number.NaN;
  return { median: (low + high) / 2, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/** Formats a ratio for a table: the median, and the minimum and maximum in brackets. */
export function formatRatio({ median, min, max }: Spread): string {
  return Number.isNaN(median) ? "–" : `**${median.toFixed(2)}×** (${min.toFixed(2)}–${max.toFixed(2)})`;
}

/** Formats milliseconds like {@link formatRatio}. */
export function formatMilliseconds({ median, min, max }: Spread): string {
  return `**${median.toFixed(0)}** (${min.toFixed(0)}–${max.toFixed(0)})`;
}
