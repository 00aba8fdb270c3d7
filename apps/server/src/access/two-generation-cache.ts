interface Entry<K, V> {
  readonly key: K;
  value: V;
}

/**
 * A bounded cache of recently used entries. It has two generations. When the young one is full, it replaces the old
 * one. Reading an entry of the old generation moves it to the young one; the others are dropped at the next change. A
 * read takes one or two lookups, and no order is maintained.
 */
export class TwoGenerationCache<K, V> {
  #young = new Map<K, Entry<K, V>>();
  #old: ReadonlyMap<K, Entry<K, V>> = this.#young;

  /** @param maxEntries the maximum number of entries. The most recent half of them is always kept. */
  constructor(readonly maxEntries: number) {}

  get(key: K): V | undefined {
    const entry = this.#young.get(key);
    if (entry !== undefined) return entry.value;
    const aged = this.#old.get(key);
    // Keeps the stored key: the given one may be a slice of a longer string, which the cache would retain.
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
