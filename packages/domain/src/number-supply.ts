import { compareCodePoints } from "./code-point-order.js";

/** A number of the inventory that a pool can take, now or once it has rested. */
export interface SuppliedNumber {
  readonly trackingNumber: string;
  readonly freeFrom: Date;
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

/** Compares numbers by the order in which they are to be taken: the one that has been free longest first. */
export function compareSupply(one: SuppliedNumber, other: SuppliedNumber): number {
  return (
    one.freeFrom.getTime() - other.freeFrom.getTime() || compareCodePoints(one.trackingNumber, other.trackingNumber)
  );
}

/** A supply that begins with these numbers, in any order. */
export function createNumberSupply(numbers: readonly SuppliedNumber[]): NumberSupply {
  const sorted = [...numbers].sort(compareSupply);
  let first = 0;
  return {
    free(at, count) {
      const end = Math.min(sorted.length, first + count);
      let last = first;
      while (last < end && (sorted[last] as SuppliedNumber).freeFrom <= at) last++;
      return sorted.slice(first, last).map(({ trackingNumber }) => trackingNumber);
    },
    nextFreeAfter(moment) {
      let next = first;
      while (next < sorted.length && (sorted[next] as SuppliedNumber).freeFrom <= moment) next++;
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
