import type { NumberPair } from "./number-swap.js";

/**
 * The original number that each number shown in a tab stands for; originals stand for themselves. Kept pieces of a page,
 * such as snapshots for the Back button, still have a number after the server has taken it back.
 */
export type Meanings = Record<string, string>;

/**
 * Adds the numbers of pairs to the meanings. Returns the pairs to show, without those of a number that stands for another
 * original already: a kept piece of the page may have the number in that meaning.
 */
export function learnMeanings<Pair extends NumberPair>(meanings: Meanings, pairs: readonly Pair[]): Pair[] {
  const standsFor = (number: string, original: string) => {
    meanings[number] ??= original;
    return meanings[number] === original;
  };
  return pairs.filter(
    ({ original_number: original, number }) => standsFor(original, original) && standsFor(number, original),
  );
}

/** Returns the pairs that replace the numbers of a tab that are no longer shown by their originals. */
export function takeBack(meanings: Meanings, shown: readonly NumberPair[]): NumberPair[] {
  return Object.entries(meanings)
    .filter(([former, original]) => former !== original && !shown.some(({ number }) => number === former))
    .map(([original_number, number]) => ({ original_number, number }));
}
