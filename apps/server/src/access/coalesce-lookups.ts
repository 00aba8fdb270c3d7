import { runDetached } from "@calltrack/postgres";

/**
 * Shares a lookup in progress with everybody who asks for the same key meanwhile. It runs on behalf of all of them: no caller's
 * deadline ends it.
 */
export function coalesceLookups<V>(lookUp: (key: string) => Promise<V>): (key: string) => Promise<V> {
  const inProgress = new Map<string, Promise<V>>();
  return (key) => {
    const known = inProgress.get(key);
    if (known !== undefined) return known;
    const lookup = runDetached(() => lookUp(key)).finally(() => inProgress.delete(key));
    inProgress.set(key, lookup);
    return lookup;
  };
}
