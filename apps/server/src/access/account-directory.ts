import { DomainError } from "@calltrack/domain";
import { type Executor, runDetached } from "@calltrack/postgres";
import type { AccountHandleTable } from "../database/tables/account-table.js";
import { prepareLookup } from "../storage/prepared-statement.js";

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
 * Creates a directory that remembers the handles that were asked for lately. What a handle means never changes and no account
 * is ever deleted, so what was found once holds for ever; a handle that nobody has may be taken at any moment, and is not
 * remembered. Only a database that is put back to an earlier state may give an id away again: start its servers anew then.
 *
 * @param most the most handles that it remembers. The latest half of them it does in any case.
 */
export function createAccountDirectory(db: Executor, most = MOST_HANDLES): AccountDirectory {
  // Two generations: when the young one is full, it is the old one from then on, and of what was there before only that stays
  // which is asked for meanwhile. So a handle that is known costs one look, and no order has to be kept.
  let young = new Map<string, NamedAccount>();
  let old = young;
  const lookups = new Map<string, Promise<NamedAccount | undefined>>();

  function remember(handle: string, account: NamedAccount): NamedAccount {
    if (young.size >= most / 2) {
      old = young;
      young = new Map();
    }
    // The text of the request may be a part of a much longer one, which it would keep in memory.
    young.set(handle === account.accountToken ? account.accountToken : handle, account);
    return account;
  }

  async function lookUp(handle: string): Promise<NamedAccount | undefined> {
    try {
      const account = await findAccountByHandle(db, handle);
      return account && remember(handle, account);
    } finally {
      lookups.delete(handle);
    }
  }

  /** Requests that look for one handle at the same time share what is found. */
  function shareLookUp(handle: string): Promise<NamedAccount | undefined> {
    const underWay = lookups.get(handle);
    if (underWay !== undefined) return underWay;
    const lookup = runDetached(() => lookUp(handle));
    lookups.set(handle, lookup);
    return lookup;
  }

  function find(handle: string): NamedAccount | Promise<NamedAccount | undefined> {
    const known = young.get(handle);
    if (known !== undefined) return known;
    const aged = old.get(handle);
    return aged === undefined ? shareLookUp(handle) : remember(handle, aged);
  }

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
