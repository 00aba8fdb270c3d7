import { DomainError } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { LRUCache } from "lru-cache";
import { prepareLookup } from "../database/prepared-statement.js";
import type { AccountHandleTable } from "../database/tables/schema.js";
import { coalesceLookups } from "./coalesce-lookups.js";

/** The identifiers of an existing account. They never change. */
export interface ResolvedAccount {
  readonly accountId: number;
  readonly accountToken: string;
}

/** Resolves the account ids and tokens in requests, so that statements need only the numeric account id. */
export type AccountDirectory = ReturnType<typeof createAccountDirectory>;

const findHandleStatement = prepareLookup<{ handle: string }, Omit<AccountHandleTable, "handle">>(
  { handle: "text" },
  (db, parameter) =>
    db.selectFrom("account_handles").select(["account_id", "account_token"]).where("handle", "=", parameter("handle")),
);

/** Takes about 15 MB with tokens of typical length. */
const MAX_HANDLES = 100_000;

/**
 * Creates a directory that caches accounts by handle, which is a token or an id. Handles never change and accounts are never deleted, so
 * entries never expire. Unknown handles are not cached, because an account with such a handle can be created at any time. A restored older
 * database can assign an id again, so all its servers must be restarted after the restore.
 */
export function createAccountDirectory(db: Executor, maxHandles = MAX_HANDLES) {
  // With the option `max`, the cache would allocate memory for all handles at once.
  const known = new LRUCache<string, ResolvedAccount>({ maxSize: maxHandles, sizeCalculation: () => 1 });
  const lookUp = coalesceLookups(async (handle) => {
    const account = await findAccountByHandle(db, handle);
    // V8 may represent the handle as a slice of a much longer string, and caching it would retain that string.
    if (account !== undefined) known.set(handle === account.accountToken ? account.accountToken : handle, account);
    return account;
  });
  /** Finds the account with this token or id; undefined if there is none. Returns it synchronously if it is cached. */
  const find = (handle: string) => known.get(handle) ?? lookUp(handle);
  return {
    find,
    /** Like `find`, but throws a DomainError `ACCOUNT_NOT_FOUND` if there is no account. */
    require(handle: string): ResolvedAccount | Promise<ResolvedAccount> {
      const found = find(handle);
      return found instanceof Promise ? found.then((account) => account ?? accountNotFound(handle)) : found;
    },
  };
}

/** Finds the account with this token or id; undefined if there is none. */
export async function findAccountByHandle(db: Executor, handle: string): Promise<ResolvedAccount | undefined> {
  const [row] = await findHandleStatement(db, { handle });
  return row && { accountId: row.account_id, accountToken: row.account_token };
}

/** Always throws a DomainError `ACCOUNT_NOT_FOUND`. `account` is the token or id from the request. */
export function accountNotFound(account: string): never {
  throw new DomainError("ACCOUNT_NOT_FOUND", { account });
}
