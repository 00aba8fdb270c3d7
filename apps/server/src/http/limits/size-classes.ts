interface Sized {
  readonly bytes: number;
}

/**
 * Groups items into classes of similar size, to find a large item without scanning all of them. Sizes in a class differ by at most a factor of two.
 */
export class SizeClasses<T extends Sized> {
  /** Indexed by the base-2 logarithm of the size plus one, rounded down. */
  readonly #classes: Set<T>[] = [];

  /** Adds an item, or moves it to another class after its size changed from `bytesBefore`. */
  place(item: T, bytesBefore = item.bytes): void {
    const [before, now] = [classOf(bytesBefore), classOf(item.bytes)];
    if (before !== now) this.#classes[before]?.delete(item);
    this.#classes[now] ??= new Set();
    this.#classes[now].add(item);
  }

  remove(item: T): void {
    this.#classes[classOf(item.bytes)]?.delete(item);
  }

  /** Returns an item from the class of the largest item; undefined if there are no items. */
  findLarge(): T | undefined {
    const largest = this.#classes.findLast((each) => each !== undefined && each.size > 0);
    return largest?.values().next().value;
  }
}

function classOf(bytes: number): number {
  return Math.floor(Math.log2(bytes + 1));
}
