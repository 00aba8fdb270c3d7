import { compareCodePoints } from "./code-point-order.js";

/** A free number of the inventory. */
export interface SuppliedNumber {
  readonly trackingNumber: string;
  /** When its rest ends; undefined if it is not resting. */
  readonly freeFrom?: Date | undefined;
}

/** The numbers of one area code as they come and go. */
export interface NumberSupply {
  /** The numbers that are free at a moment, in the order in which they are to be taken: at most `count`. */
  free(at: Date, count: number): readonly string[];
  /** The moment after another at which the next number has rested; undefined if none is resting. */
  nextFreeAfter(moment: Date): Date | undefined;
  /** Takes the first number out. */
  take(): void;
  add(number: SuppliedNumber): void;
}

/**
 * Compares numbers by the order in which they are taken: first those that do not rest, which compare as equal, then the one whose
 * rest ends first.
 */
export function compareSupply(one: SuppliedNumber, other: SuppliedNumber): number {
  if (one.freeFrom === undefined || other.freeFrom === undefined)
    return Number(one.freeFrom !== undefined) - Number(other.freeFrom !== undefined);
  return (
    one.freeFrom.getTime() - other.freeFrom.getTime() || compareCodePoints(one.trackingNumber, other.trackingNumber)
  );
}

/** A supply that begins with these numbers: those that do not rest in the order in which they are taken, resting ones in any order. */
export function createNumberSupply(numbers: readonly SuppliedNumber[]): NumberSupply {
  const sorted = [...numbers].sort(compareSupply);
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
      // What is given back is free later than almost all others.
      let place = sorted.length;
      while (place > first && compareSupply(sorted[place - 1] as SuppliedNumber, number) > 0) place--;
      sorted.splice(place, 0, number);
    },
  };
}

function isFree({ freeFrom }: SuppliedNumber, at: Date): boolean {
  return freeFrom === undefined || freeFrom <= at;
}
