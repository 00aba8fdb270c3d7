import { DomainError } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { LRUCache } from "lru-cache";
import { prepareLookup } from "../database/prepared-statement.js";
import type { AccountHandleTable } from "../database/tables/schema.js";
import { coalesceLookups } from "./coalesce-lookups.js";

/** The immutable identifiers of an account that a request names. */
export interface ResolvedAccount {
  readonly accountId: number;
  readonly accountToken: string;
}

/** Resolves the account ids and tokens that requests contain. Statements then use the numeric account id only. */
export type AccountDirectory = ReturnType<typeof createAccountDirectory>;

/** See `findAccountByHandle`. */
const findHandleStatement = prepareLookup<{ handle: string }, Omit<AccountHandleTable, "handle">>(
  { handle: "text" },
  (db, parameter) =>
    db.selectFrom("account_handles").select(["account_id", "account_token"]).where("handle", "=", parameter("handle")),
);

/** About 15 MB with tokens of typical length. */
const MAX_HANDLES = 100_000;

/**
 * Creates a directory that caches accounts by handle. Handles never change and accounts are never deleted, so entries
 * never expire. Unknown handles are not cached, because an account with that handle can be created at any time.
 * Restoring an older database can reuse an id, so restart all its servers afterwards.
 *
 * @param maxHandles the maximum number of cached handles.
 */
export function createAccountDirectory(db: Executor, maxHandles = MAX_HANDLES) {
  // With `max`, it would allocate its tables for all handles at once.
  const known = new LRUCache<string, ResolvedAccount>({ maxSize: maxHandles, sizeCalculation: () => 1 });
  const lookUp = coalesceLookups(async (handle) => {
    const account = await findAccountByHandle(db, handle);
    // V8 may represent the handle as a slice of a much longer string, and caching it would retain that string.
    if (account !== undefined) known.set(handle === account.accountToken ? account.accountToken : handle, account);
    return account;
  });
  /** Finds the account with this token or id. Returns it synchronously if it is cached. */
  const find = (handle: string) => known.get(handle) ?? lookUp(handle);
  return {
    find,
    /**
     * Like `find`.
     *
     * @throws DomainError `ACCOUNT_NOT_FOUND`
     */
    require(handle: string): ResolvedAccount | Promise<ResolvedAccount> {
      const found = find(handle);
      return found instanceof Promise ? found.then((account) => account ?? accountNotFound(handle)) : found;
    },
  };
}

/** Finds the account with this token or id. Returns undefined if there is none. */
export async function findAccountByHandle(db: Executor, handle: string): Promise<ResolvedAccount | undefined> {
  const [row] = await findHandleStatement(db, { handle });
  return row && { accountId: row.account_id, accountToken: row.account_token };
}

/**
 * Throws the error for an unknown account.
 *
 * @param account the token or id from the request.
 * @throws DomainError `ACCOUNT_NOT_FOUND`
 */
export function accountNotFound(account: string): never {
  throw new DomainError("ACCOUNT_NOT_FOUND", { account });
}
