interface Entry<K, V> {
  readonly key: K;
  value: V;
}

/**
 * A cache of what was set or read lately, with a bound. It has two generations: a full young one becomes the old one, whose entries
 * are dropped unless they are read before the next change. So a read costs one or two lookups, and no order is kept.
 */
export class TwoGenerationCache<K, V> {
  #young = new Map<K, Entry<K, V>>();
  #old: ReadonlyMap<K, Entry<K, V>> = this.#young;

  /** @param maxEntries the maximum number of entries. The latest half of them is always kept. */
  constructor(readonly maxEntries: number) {}

  get(key: K): V | undefined {
    const entry = this.#young.get(key);
    if (entry !== undefined) return entry.value;
    const aged = this.#old.get(key);
    // With its own key: the given one may be a part of a longer text, which it would keep in memory.
    if (aged !== undefined) this.#add(aged);
    return aged?.value;
  }

  set(key: K, value: V): void {
    const entry = this.#young.get(key);
    if (entry === undefined) this.#add({ key, value });
    else entry.value = value;
  }

  #add(entry: Entry<K, V>): void {
    if (this.#young.size >= this.maxEntries / 2) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(entry.key, entry);
  }
}
