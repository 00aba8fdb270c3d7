/**
 * Finds the largest of many items whose sizes change often, to within a factor of two. Items are grouped by powers of two, so that
 * most size changes are free.
 */
export class SizeClasses<T> {
  /** The items by the number of bits of their size. */
  readonly #classes: Set<T>[] = [];

  /** Records the new size of an item. Items of size 0 are removed. */
  resize(item: T, before: number, after: number): void {
    const [from, to] = [classOf(before), classOf(after)];
    if (from === to) return;
    this.#classes[from]?.delete(item);
    if (to === 0) return;
    while (this.#classes.length <= to) this.#classes.push(new Set());
    this.#classes[to]?.add(item);
  }

  /** The oldest item of the largest size class; undefined if there are no items. */
  largest(): T | undefined {
    for (let index = this.#classes.length - 1; index > 0; index--) {
      for (const item of this.#classes[index] as Set<T>) return item;
    }
    return undefined;
  }
}

/** The number of bits of a size, which must be less than 4 GiB. */
function classOf(size: number): number {
  return 32 - Math.clz32(size);
}
