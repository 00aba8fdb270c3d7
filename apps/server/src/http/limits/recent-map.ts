/**
 * A map that keeps what was set or asked for lately, and never more than its bound. In two generations: a full one replaces the
 * one before, and what is still asked for moves over, so that to find something costs one look.
 */
export class RecentMap<K, V> {
  #young = new Map<K, V>();
  #old: ReadonlyMap<K, V> = this.#young;

  /** @param most how many entries it keeps: at least half as many of the latest, at most all. */
  constructor(readonly most: number) {}

  get(key: K): V | undefined {
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const aged = this.#old.get(key);
    if (aged !== undefined) this.set(key, aged);
    return aged;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.most / 2 && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
