import { foldCase } from "@calltrack/domain";
import type { Account } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import type { Executor } from "@calltrack/postgres";
import { formatEtag } from "../../database/etag.js";
import type { EtagCondition } from "../../database/etag-condition.js";
import type { PageBounds, PagedList } from "../../database/page.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { timestampOf } from "../../database/timestamp.js";
import {
  type AccountRow,
  findAccountStatement,
  insertAccountStatement,
  listAccountsStatement,
  listDisabledAccountsStatement,
  listEnabledAccountsStatement,
  searchAccountsStatement,
  updateAccountStatement,
} from "./account-statements.js";

/** The largest possible account id. */
const MAX_ACCOUNT_ID = 2 ** 31 - 1;

/**
 * Creates an account with its two handles, the token and the id, in one statement.
 *
 * @returns undefined if another account has the token as a handle. Uses up no id in this case.
 * @throws the database's error for the constraint `account_handles_pkey` if a concurrent request took the token, or
 *   if the drawn id equals another account's token. The id is used up then, so that a retry draws a new one.
 */
export async function insertAccount(
  db: Executor,
  accountToken: string,
  origin: ChangeOrigin,
): Promise<Account | undefined> {
  const [row] = await insertAccountStatement(db, { accountToken, origin: JSON.stringify(origin) });
  return row && accountOf(row);
}

/** Finds an account by its id. Returns undefined if there is none. */
export async function findAccount(db: Executor, id: number): Promise<Account | undefined> {
  const [row] = await findAccountStatement(db, { id });
  return row && accountOf(row);
}

/** The paged list of accounts in the order of their ids. */
export const ACCOUNTS: PagedList<Account> = {
  name: "accounts",
  keyOf: ({ id }) => String(id),
  isKey: isAccountId,
};

/** The paged list of accounts in the order of their folded tokens, then of their ids. */
export const ACCOUNTS_BY_TOKEN: PagedList<Account> = {
  name: "accounts by token",
  keyOf: ({ id, accountToken }) => `${id}.${Buffer.from(foldCase(accountToken)).toString("base64url")}`,
  isKey: (text) => isAccountId(text.split(".")[0] ?? "") && !tokenOfKey(text).includes("\0"),
};

/** Lists accounts in the order of `ACCOUNTS`; `isActive` is undefined for all accounts. */
export async function listAccounts(
  db: Executor,
  isActive: boolean | undefined,
  { after = "0", limit }: PageBounds,
): Promise<Account[]> {
  const statement =
    isActive === undefined
      ? listAccountsStatement
      : isActive
        ? listEnabledAccountsStatement
        : listDisabledAccountsStatement;
  const rows = await statement(db, { after: Number(after), limit });
  return rows.map(accountOf);
}

/** Lists accounts whose folded tokens begin with a prefix, in the order of `ACCOUNTS_BY_TOKEN`. */
export async function searchAccounts(
  db: Executor,
  prefix: string,
  isActive: boolean | undefined,
  { after, limit }: PageBounds,
): Promise<Account[]> {
  const rows = await searchAccountsStatement(db, {
    afterToken: after === undefined ? prefix : tokenOfKey(after),
    afterId: after === undefined ? 0 : Number(after.split(".")[0]),
    end: prefix + AFTER_ALL_CHARACTERS,
    isActive: isActive ?? null,
    limit,
  });
  return rows.map(accountOf);
}

/** No token contains the last code point of Unicode, which is unassigned for ever. */
const AFTER_ALL_CHARACTERS = "\u{10ffff}";

function isAccountId(text: string): boolean {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_ACCOUNT_ID;
}

function tokenOfKey(key: string): string {
  return Buffer.from(key.split(".")[1] ?? "", "base64url").toString();
}

/**
 * Enables or disables an account. Always advances `updated_at`. Returns undefined if there is no such account, or if
 * the etag condition fails.
 */
export async function updateAccount(
  db: Executor,
  id: number,
  isActive: boolean,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<Account | undefined> {
  const [row] = await updateAccountStatement(db, { id, isActive, ...condition, origin: JSON.stringify(origin) });
  return row && accountOf(row);
}

function accountOf(row: AccountRow): Account {
  return {
    $typeName: "calltracking.v1.Account",
    id: row.id,
    isActive: row.is_active,
    accountToken: row.account_token,
    createdAt: timestampOf(row.created_at),
    updatedAt: timestampOf(row.updated_at),
    etag: formatEtag(row.updated_at),
  };
}
