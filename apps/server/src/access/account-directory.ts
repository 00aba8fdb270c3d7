import { DomainError } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import type { AccountHandleTable } from "../database/tables/account-table.js";
import { prepareLookup } from "../storage/prepared-statement.js";
import { coalesceLookups } from "./coalesce-lookups.js";
import { TwoGenerationCache } from "./two-generation-cache.js";

/** An account by what never changes of it. */
export interface ResolvedAccount {
  readonly accountId: number;
  readonly accountToken: string;
}

/** Whom the names in requests mean: all that a request does is then asked of the database by the account's id. */
export interface AccountDirectory {
  /** The account that goes by this token or id. It comes at once if it is known, so that nobody waits. */
  find(handle: string): ResolvedAccount | Promise<ResolvedAccount | undefined>;
  /**
   * Like `find`.
   *
   * @throws DomainError `ACCOUNT_NOT_FOUND`
   */
  require(handle: string): ResolvedAccount | Promise<ResolvedAccount>;
}

/** See `findAccountByHandle`. */
const findHandleStatement = prepareLookup<{ handle: string }, Omit<AccountHandleTable, "handle">>(
  { handle: "text" },
  (db, parameter) =>
    db.selectFrom("account_handles").select(["account_id", "account_token"]).where("handle", "=", parameter("handle")),
);

/** Of common tokens, about 15 MB. */
const MAX_HANDLES = 100_000;

/**
 * Creates a directory that caches handles. What a handle means never changes and no account is ever deleted, so entries never
 * expire. Unknown handles are not cached, as they may be taken at any moment. Only a database that is put back to an earlier
 * state may give an id away again: restart its servers then.
 *
 * @param maxHandles the maximum number of cached handles.
 */
export function createAccountDirectory(db: Executor, maxHandles = MAX_HANDLES): AccountDirectory {
  const known = new TwoGenerationCache<string, ResolvedAccount>(maxHandles);
  const lookUp = coalesceLookups(async (handle) => {
    const account = await findAccountByHandle(db, handle);
    // The text of the request may be a part of a much longer one, which it would keep in memory.
    if (account !== undefined) known.set(handle === account.accountToken ? account.accountToken : handle, account);
    return account;
  });
  const find = (handle: string) => known.get(handle) ?? lookUp(handle);
  return {
    find,
    require(handle) {
      const found = find(handle);
      return found instanceof Promise ? found.then((account) => account ?? accountNotFound(handle)) : found;
    },
  };
}

/** The account that goes by this token or id, or undefined. */
export async function findAccountByHandle(db: Executor, handle: string): Promise<ResolvedAccount | undefined> {
  const [row] = await findHandleStatement(db, { handle });
  return row && { accountId: row.account_id, accountToken: row.account_token };
}

/**
 * Refuses a request that names an account that does not exist.
 *
 * @param account what the caller named it by.
 */
export function accountNotFound(account: string): never {
  throw new DomainError("ACCOUNT_NOT_FOUND", { account });
}
