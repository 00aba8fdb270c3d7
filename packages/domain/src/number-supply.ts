import { compareCodePoints } from "./code-point-order.js";

/** A number in the inventory that is free, or that becomes free when it stops resting. */
export interface SuppliedNumber {
  readonly trackingNumber: string;
  /** When the number stops resting; undefined if it is not resting. */
  readonly freeFrom?: Date | undefined;
}

/** The free and resting numbers with one area code, in assignment order: the order in which they are assigned to pools. */
export interface NumberSupply {
  /** Returns the first numbers in assignment order that are free at the given time, at most `count`. */
  free(at: Date, count: number): readonly string[];
  /** Returns when the next number becomes free after the given time; undefined if no number is resting at that time. */
  nextFreeAfter(moment: Date): Date | undefined;
  /** Removes the first number in assignment order. */
  take(): void;
  add(number: SuppliedNumber): void;
}

/**
 * Compares two numbers by assignment order. Numbers that are not resting come first and compare as equal. Resting numbers are ordered by the time at
 * which they stop resting.
 */
export function compareSuppliedNumbers(one: SuppliedNumber, other: SuppliedNumber): number {
  if (one.freeFrom === undefined || other.freeFrom === undefined)
    return Number(one.freeFrom !== undefined) - Number(other.freeFrom !== undefined);
  return (
    one.freeFrom.getTime() - other.freeFrom.getTime() || compareCodePoints(one.trackingNumber, other.trackingNumber)
  );
}

/**
 * @param numbers the free numbers must be in assignment order. The resting numbers can be in any order.
 */
export function createNumberSupply(numbers: readonly SuppliedNumber[]): NumberSupply {
  const sorted = [...numbers].sort(compareSuppliedNumbers);
  let first = 0;
  return {
    free(at, count) {
      const end = Math.min(sorted.length, first + count);
      let last = first;
      while (last < end && isFree(sorted[last] as SuppliedNumber, at)) last++;
      return sorted.slice(first, last).map(({ trackingNumber }) => trackingNumber);
    },
    nextFreeAfter(moment) {
      let next = first;
      while (next < sorted.length && isFree(sorted[next] as SuppliedNumber, moment)) next++;
      return sorted[next]?.freeFrom;
    },
    take() {
      first++;
    },
    add(number) {
      let low = first;
      let high = sorted.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (compareSuppliedNumbers(sorted[middle] as SuppliedNumber, number) > 0) high = middle;
        else low = middle + 1;
      }
      sorted.splice(low, 0, number);
    },
  };
}

function isFree({ freeFrom }: SuppliedNumber, at: Date): boolean {
  return freeFrom === undefined || freeFrom <= at;
}
