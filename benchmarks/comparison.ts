import type { Measurement } from "./server-under-load.ts";

/** A figure as a median with its spread over the rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** A server beside another: each figure of the first, divided by that of the second in the same round. */
export type Comparison = { readonly [F in Figure]: Spread };

/** What is compared. */
export type Figure = keyof Measurement;

/** Compares the servers at two places of each round. */
export function compare(rounds: readonly (readonly Measurement[])[], first: number, second: number): Comparison {
  const ratio = (figure: Figure) =>
    spreadOf(rounds.map((round) => (round[first]?.[figure] ?? Number.NaN) / (round[second]?.[figure] ?? Number.NaN)));
  const figures = Object.keys(rounds[0]?.[0] ?? {}) as Figure[];
  return Object.fromEntries(figures.map((figure) => [figure, ratio(figure)])) as Comparison;
}

/** The median of a figure over the rounds of the server at one place. */
export function medianOf(rounds: readonly (readonly Measurement[])[], place: number, figure: Figure): number {
  return spreadOf(rounds.map((round) => round[place]?.[figure] ?? Number.NaN)).median;
}

/** The median, the least and the greatest of some values. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const high = sorted[Math.floor(middle)] ?? Number.NaN;
  return { median: (low + high) / 2, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}
