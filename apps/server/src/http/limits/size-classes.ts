/** Something that has a size in bytes. */
interface Sized {
  readonly bytes: number;
}

/**
 * Items in classes of similar size, to find a large one without looking at all of them: the sizes in a class differ by less than a factor
 * of two.
 */
export class SizeClasses<T extends Sized> {
  /** By the base-2 logarithm of the size plus one. */
  readonly #classes: Set<T>[] = [];

  /** Adds an item, or moves it to the class of its size. */
  place(item: T, bytesBefore = item.bytes): void {
    const [before, now] = [classOf(bytesBefore), classOf(item.bytes)];
    if (before !== now) this.#classes[before]?.delete(item);
    this.#classes[now] ??= new Set();
    this.#classes[now].add(item);
  }

  remove(item: T): void {
    this.#classes[classOf(item.bytes)]?.delete(item);
  }

  /** Returns the first item in the class of the largest; undefined if there is none. */
  findLarge(): T | undefined {
    const largest = this.#classes.findLast((each) => each !== undefined && each.size > 0);
    return largest?.values().next().value;
  }
}

function classOf(bytes: number): number {
  return Math.floor(Math.log2(bytes + 1));
}
