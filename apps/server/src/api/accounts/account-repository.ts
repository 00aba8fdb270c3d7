import type { Account } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import type { Executor } from "@calltrack/postgres";
import { etagOf } from "../../database/etag.js";
import type { EtagCondition } from "../../database/etag-condition.js";
import type { PageBounds } from "../../database/page.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { timestampOf } from "../../database/timestamp.js";
import {
  type AccountRow,
  findStatement,
  insertStatement,
  listStatement,
  updateStatement,
} from "./account-statements.js";

/** The largest id that an account can have. */
export const LARGEST_ID = 2 ** 31 - 1;

/**
 * Creates an account with both its handles, in one statement.
 *
 * @returns undefined, and takes no id, if an account goes by the token already.
 * @throws the database's error for the constraint `account_handles_pkey` if the token was taken in this moment, or if the id
 *   that was drawn is the token of another account. The id is used up then, so that trying again gets on.
 */
export async function insertAccount(
  db: Executor,
  accountToken: string,
  origin: ChangeOrigin,
): Promise<Account | undefined> {
  const [row] = await insertStatement(db, { accountToken, origin: JSON.stringify(origin) });
  return row && accountOf(row);
}

/** The account of this id, or undefined. */
export async function findAccount(db: Executor, id: number): Promise<Account | undefined> {
  const [row] = await findStatement(db, { id });
  return row && accountOf(row);
}

/** Accounts in the order of their ids, all of them or the only one of an id. `after` is an id in decimal. */
export async function listAccounts(
  db: Executor,
  only: number | undefined,
  { after = "0", limit }: PageBounds,
): Promise<Account[]> {
  const { before, last } = only === undefined ? { before: 0, last: LARGEST_ID } : { before: only - 1, last: only };
  const rows = await listStatement(db, { after: Math.max(before, Number(after)), last, limit });
  return rows.map(accountOf);
}

/**
 * Sets whether an account is active; `updated_at` always moves. Undefined if there is no such account, or if it does not fulfil
 * the condition.
 */
export async function updateAccount(
  db: Executor,
  id: number,
  isActive: boolean,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<Account | undefined> {
  const [row] = await updateStatement(db, { id, isActive, ...condition, origin: JSON.stringify(origin) });
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
    etag: etagOf(row.updated_at),
  };
}
