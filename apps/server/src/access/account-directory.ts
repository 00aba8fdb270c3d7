import { DomainError } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { LRUCache } from "lru-cache";
import { prepareLookup } from "../database/prepared-statement.js";
import type { AccountHandleTable } from "../database/tables/schema.js";
import { coalesceLookups } from "./coalesce-lookups.js";

/** The id and the token of an existing account. Neither ever changes. */
export interface ResolvedAccount {
  readonly accountId: number;
  readonly accountToken: string;
}

/** Finds accounts by the id or token in a request, so that SQL statements need only the numeric account id. */
export type AccountDirectory = ReturnType<typeof createAccountDirectory>;

const findHandleStatement = prepareLookup<{ handle: string }, Omit<AccountHandleTable, "handle">>(
  { handle: "text" },
  (db, parameter) =>
    db.selectFrom("account_handles").select(["account_id", "account_token"]).where("handle", "=", parameter("handle")),
);

/** This many cached handles take about 15 MB with tokens of typical length. */
const MAX_HANDLES = 100_000;

/**
 * Creates a directory that caches accounts by handle, which is a token or an id. Handles never change and accounts are never deleted, so cached
 * accounts never expire. Unknown handles are not cached, because an account with the handle can be created at any time. After a restore, all servers
 * must be restarted: the restored database can assign a cached id to another account.
 */
export function createAccountDirectory(db: Executor, maxHandles = MAX_HANDLES) {
  // `maxSize` instead of `max`, with which the cache would allocate memory for all handles at once.
  const known = new LRUCache<string, ResolvedAccount>({ maxSize: maxHandles, sizeCalculation: () => 1 });
  const lookUp = coalesceLookups(async (handle) => {
    const account = await findAccountByHandle(db, handle);
    // V8 may represent the handle as a slice of a much longer string, which the cached handle would keep in memory.
    if (account !== undefined) known.set(handle === account.accountToken ? account.accountToken : handle, account);
    return account;
  });
  /** Finds the account with a token or id; undefined if there is none. Returns cached accounts synchronously. */
  const find = (handle: string) => known.get(handle) ?? lookUp(handle);
  return {
    find,
    /** Finds an account like `find`, but throws a DomainError `ACCOUNT_NOT_FOUND` if there is none. */
    require(handle: string): ResolvedAccount | Promise<ResolvedAccount> {
      const found = find(handle);
      return found instanceof Promise ? found.then((account) => account ?? throwAccountNotFound(handle)) : found;
    },
  };
}

/** Finds the account with a token or id in the database; undefined if there is none. */
export async function findAccountByHandle(db: Executor, handle: string): Promise<ResolvedAccount | undefined> {
  const [row] = await findHandleStatement(db, { handle });
  return row && { accountId: row.account_id, accountToken: row.account_token };
}

/** Always throws a DomainError `ACCOUNT_NOT_FOUND`. `account` is the token or id from the request. */
export function throwAccountNotFound(account: string): never {
  throw new DomainError("ACCOUNT_NOT_FOUND", { account });
}
