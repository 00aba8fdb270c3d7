import { runWithoutDeadline } from "@calltrack/postgres";

/**
 * Wraps a lookup function so that concurrent lookups of the same key share one call. The shared call is independent of the deadlines of all requests
 * that wait for it.
 */
export function coalesceLookups<V>(lookUp: (key: string) => Promise<V>): (key: string) => Promise<V> {
  const inProgress = new Map<string, Promise<V>>();
  return (key) => {
    const known = inProgress.get(key);
    if (known !== undefined) return known;
    const lookup = runWithoutDeadline(() => lookUp(key)).finally(() => inProgress.delete(key));
    inProgress.set(key, lookup);
    return lookup;
  };
}
