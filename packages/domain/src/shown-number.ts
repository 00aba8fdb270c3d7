/** The number that a pool of a property has for a visitor. */
export interface ShownNumber {
  readonly originalNumber: string;
  /** The original number if the pool has no number for the visitor. */
  readonly number: string;
  readonly isManual: boolean;
}

/**
 * Chooses one number for each original number: that of the visitor's source in an automanaged pool; else that of a manual
 * pool; else the original number. Of several such pools, the oldest takes precedence.
 *
 * @param numbers the numbers of a property's pools, oldest pool first; the result is in this order too.
 */
export function chooseShownNumbers<Shown extends ShownNumber>(numbers: readonly Shown[]): Shown[] {
  const chosen = new Map<string, Shown>();
  for (const next of numbers) {
    const best = chosen.get(next.originalNumber);
    if (best === undefined || rankOf(next) < rankOf(best)) chosen.set(next.originalNumber, next);
  }
  return numbers.filter((each) => chosen.get(each.originalNumber) === each);
}

function rankOf({ originalNumber, number, isManual }: ShownNumber): number {
  if (number === originalNumber) return 2;
  return isManual ? 1 : 0;
}
