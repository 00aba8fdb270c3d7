import type { Account } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import type { Executor } from "@calltrack/postgres";
import { formatEtag } from "../../database/etag.js";
import type { EtagCondition } from "../../database/etag-condition.js";
import type { PageBounds } from "../../database/page.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { timestampOf } from "../../database/timestamp.js";
import {
  type AccountRow,
  findAccountStatement,
  insertAccountStatement,
  listAccountsStatement,
  updateAccountStatement,
} from "./account-statements.js";

/** The largest possible account id. */
export const MAX_ACCOUNT_ID = 2 ** 31 - 1;

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

/**
 * Lists accounts in the order of their ids.
 *
 * @param only the id of the only account to list; undefined for all accounts.
 * @param after an account id in decimal, as a cursor.
 */
export async function listAccounts(
  db: Executor,
  only: number | undefined,
  { after = "0", limit }: PageBounds,
): Promise<Account[]> {
  const { before, last } = only === undefined ? { before: 0, last: MAX_ACCOUNT_ID } : { before: only - 1, last: only };
  const rows = await listAccountsStatement(db, { after: Math.max(before, Number(after)), last, limit });
  return rows.map(accountOf);
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
