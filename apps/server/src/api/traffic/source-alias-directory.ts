import type { SourceAliases } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { LRUCache } from "lru-cache";
import { coalesceLookups } from "../../access/coalesce-lookups.js";
import { findSourceAliases } from "./source-alias-repository.js";

/** How long a server goes on with the aliases that it has read, although another server may have replaced them. The API documents it. */
const MAX_AGE_MS = 10_000;

/** An account has 200 aliases at most, and few have any. */
const MAX_ACCOUNTS = 20_000;

/** The aliases of accounts, for each visit. */
export interface SourceAliasDirectory {
  /** Returns the aliases of an account, synchronously if they are cached. */
  find(accountId: number): SourceAliases | Promise<SourceAliases>;
  /** Forgets the cached aliases of an account. */
  forget(accountId: number): void;
}

/** Creates a directory that caches the aliases of accounts for ten seconds. */
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
