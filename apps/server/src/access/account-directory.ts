import { DomainError } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { prepareLookup } from "../database/prepared-statement.js";
import type { AccountHandleTable } from "../database/tables/schema.js";
import { shareLookups } from "./share-lookups.js";
import { TwoGenerationCache } from "./two-generation-cache.js";

/** An account by what never changes of it. */
export interface NamedAccount {
  readonly accountId: number;
  readonly accountToken: string;
}

/** Whom the names in requests mean: all that a request does is then asked of the database by the account's id. */
export interface AccountDirectory {
  /** The account that goes by this token or id. It comes at once if it is known, so that nobody waits. */
  find(handle: string): NamedAccount | Promise<NamedAccount | undefined>;
  /**
   * Like `find`.
   *
   * @throws DomainError `ACCOUNT_NOT_FOUND`
   */
  require(handle: string): NamedAccount | Promise<NamedAccount>;
}

/** See `findAccountByHandle`. */
const findHandleStatement = prepareLookup<{ handle: string }, Omit<AccountHandleTable, "handle">>(
  { handle: "text" },
  (db, parameter) =>
    db.selectFrom("account_handles").select(["account_id", "account_token"]).where("handle", "=", parameter("handle")),
);

/** Of common tokens, about 15 MB. */
const MOST_HANDLES = 100_000;

/**
 * Creates a directory that caches handles. What a handle means never changes and no account is ever deleted, so entries never
 * expire. Unknown handles are not cached, as they may be taken at any moment. Only a database that is put back to an earlier
 * state may give an id away again: restart its servers then.
 *
 * @param most the maximum number of cached handles.
 */
export function createAccountDirectory(db: Executor, most = MOST_HANDLES): AccountDirectory {
  const known = new TwoGenerationCache<string, NamedAccount>(most);
  const lookUp = shareLookups(async (handle) => {
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
export async function findAccountByHandle(db: Executor, handle: string): Promise<NamedAccount | undefined> {
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
