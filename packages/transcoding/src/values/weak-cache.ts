/** Creates a function that calls `create` once for each key, and caches the result until the key is garbage-collected. */
export function createWeakCache<K extends object, V>(create: (key: K) => V): (key: K) => V {
  const cached = new WeakMap<K, V>();
  return (key) => {
    const known = cached.get(key);
    if (known !== undefined) return known;
    const created = create(key);
    cached.set(key, created);
    return created;
  };
}
