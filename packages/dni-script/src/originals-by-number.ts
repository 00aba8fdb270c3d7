import type { NumberPair } from "./number-swap.js";

/**
 * The original number of each number that a tab has shown. An original number maps to itself. Cached pieces of a page, such as snapshots
 * for the Back button, still contain a number after the server has withdrawn it.
 */
export type OriginalsByNumber = Record<string, string>;

/**
 * Records the originals of the numbers in pairs. Returns the pairs to show. Omits numbers that the tab has already shown for another
 * original, because a cached piece of the page may contain such a number.
 */
export function recordOriginals<Pair extends NumberPair>(originals: OriginalsByNumber, pairs: readonly Pair[]): Pair[] {
  const recordsOriginal = (number: string, original: string) => {
    originals[number] ??= original;
    return originals[number] === original;
  };
  return pairs.filter(
    ({ original_number: original, number }) => recordsOriginal(original, original) && recordsOriginal(number, original),
  );
}

/** Returns pairs that replace the numbers that a tab no longer shows with their originals. */
export function findFormerPairs(originals: OriginalsByNumber, shown: readonly NumberPair[]): NumberPair[] {
  return Object.entries(originals)
    .filter(([former, original]) => former !== original && !shown.some(({ number }) => number === former))
    .map(([original_number, number]) => ({ original_number, number }));
}
