/**
 * Finds the largest of many things whose sizes keep changing, to a factor of two. It groups them by powers of two, so that a change
 * costs nothing until it crosses one.
 */
export class SizeClasses<T> {
  /** By the number of bits of the size. */
  readonly #classes: Set<T>[] = [];

  /** Takes note of a new size; things of size 0 are not kept. */
  resize(thing: T, before: number, after: number): void {
    const [from, to] = [classOf(before), classOf(after)];
    if (from === to) return;
    this.#classes[from]?.delete(thing);
    if (to === 0) return;
    while (this.#classes.length <= to) this.#classes.push(new Set());
    this.#classes[to]?.add(thing);
  }

  /** One of the largest: of its class, the one that has been in it longest. Undefined if there are none. */
  largest(): T | undefined {
    for (let place = this.#classes.length - 1; place > 0; place--) {
      for (const thing of this.#classes[place] as Set<T>) return thing;
    }
    return undefined;
  }
}

/** Sizes are less than 4 GiB. */
function classOf(size: number): number {
  return 32 - Math.clz32(size);
}
