import type { SourceAliases } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { LRUCache } from "lru-cache";
import { coalesceLookups } from "../../access/coalesce-lookups.js";
import { findSourceAliases } from "./source-alias-repository.js";

/** How long a server caches aliases, although another server may have replaced them. The API documents this time. */
const MAX_AGE_MS = 10_000;

/** The maximum number of accounts in the cache. An account has at most 200 aliases, and most accounts have none. */
const MAX_ACCOUNTS = 20_000;

/** Looks up the aliases of an account for each visit. */
export interface SourceAliasDirectory {
  /** Returns the aliases of an account: as a value if they are cached, and as a promise otherwise. */
  find(accountId: number): SourceAliases | Promise<SourceAliases>;
  /** Removes the aliases of an account from the cache. */
  forget(accountId: number): void;
}

export function createSourceAliasDirectory(db: Executor): SourceAliasDirectory {
  const known = new LRUCache<string, SourceAliases>({
    ttl: MAX_AGE_MS,
    maxSize: MAX_ACCOUNTS,
    sizeCalculation: () => 1,
  });
  const lookUp = coalesceLookups(async (key) => {
    const aliases = await findSourceAliases(db, Number(key));
    known.set(key, aliases);
    return aliases;
  });
  return {
    find: (accountId) => known.get(String(accountId)) ?? lookUp(String(accountId)),
    forget: (accountId) => void known.delete(String(accountId)),
  };
}
