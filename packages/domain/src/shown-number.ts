/** The number that one pool has for a visitor. */
export interface ShownNumber {
  readonly originalNumber: string;
  /** The original number if the pool has no number for the visitor. */
  readonly number: string;
  readonly isManual: boolean;
}

/**
 * Chooses one number for each original number: the number that an automanaged pool has for the visitor's source or, failing that, the number
 * of a manual pool or, failing that, the original number. If several pools qualify, the oldest takes precedence.
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
