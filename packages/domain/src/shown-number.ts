/** The number that a pool shows to a visitor in place of its original number. */
export interface ShownNumber {
  readonly originalNumber: string;
  /** The number to show: equal to the original number if the pool has no number for the visitor. */
  readonly number: string;
  readonly isManual: boolean;
}

/**
 * Chooses one number for each original number. The first choice is a number that an automanaged pool has for the visitor's source, the second
 * is the number of a manual pool, and the third is the original number. If several pools qualify, the oldest pool takes precedence.
 *
 * @param numbers the numbers of a property's pools, oldest pool first. The result has the same order.
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
