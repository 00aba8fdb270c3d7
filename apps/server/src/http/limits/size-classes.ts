interface Sized {
  readonly bytes: number;
}

/**
 * Groups items by size, to find a large item without scanning all items. The sizes in a class differ by at most a factor of two.
 */
export class SizeClasses<T extends Sized> {
  /** An item of size `bytes` is at the index floor(log2(bytes + 1)). */
  readonly #classes: Set<T>[] = [];

  /** Adds an item, or moves an item to another class after its size changed from `bytesBefore`. */
  place(item: T, bytesBefore = item.bytes): void {
    const [before, now] = [classOf(bytesBefore), classOf(item.bytes)];
    if (before !== now) this.#classes[before]?.delete(item);
    this.#classes[now] ??= new Set();
    this.#classes[now].add(item);
  }

  remove(item: T): void {
    this.#classes[classOf(item.bytes)]?.delete(item);
  }

  /** Returns an item at least half as large as the largest one; undefined if there are no items. */
  findLarge(): T | undefined {
    const largest = this.#classes.findLast((each) => each !== undefined && each.size > 0);
    return largest?.values().next().value;
  }
}

function classOf(bytes: number): number {
  return Math.floor(Math.log2(bytes + 1));
}
