import type { NumberPair } from "./number-swapper.js";

/**
 * Maps each number that a tab has shown to its original number. An original number maps to itself. The map is necessary because cached pieces of a
 * page, such as snapshots for the Back button, may contain a number after the server has withdrawn it.
 */
export type OriginalNumberByShownNumber = Record<string, string>;

/**
 * Records the original number of each number in `pairs`, and returns the pairs to show. Omits a pair whose number the tab has already shown for
 * another original number, because a cached piece of the page may still contain that number.
 */
export function recordOriginalNumbers<Pair extends NumberPair>(
  originals: OriginalNumberByShownNumber,
  pairs: readonly Pair[],
): Pair[] {
  const recordsOriginal = (number: string, original: string) => {
    originals[number] ??= original;
    return originals[number] === original;
  };
  return pairs.filter(
    ({ original_number: original, number }) => recordsOriginal(original, original) && recordsOriginal(number, original),
  );
}

/** Returns pairs that replace each number that a tab has shown, but no longer shows, with its original number. */
export function createRestoringPairs(
  originals: OriginalNumberByShownNumber,
  shown: readonly NumberPair[],
): NumberPair[] {
  return Object.entries(originals)
    .filter(([former, original]) => former !== original && !shown.some(({ number }) => number === former))
    .map(([original_number, number]) => ({ original_number, number }));
}
