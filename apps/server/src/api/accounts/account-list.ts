import { type AccountFilter, foldCase } from "@calltrack/domain";
import type { Account } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import type { PageBounds, PagedList } from "../../database/page.js";
import { prepareList } from "../../database/prepared-statement.js";
import { ACCOUNT_COLUMN_TYPES, ACCOUNT_COLUMNS, type AccountRow, accountOf } from "./account-repository.js";

/** The largest possible account id. */
const MAX_ACCOUNT_ID = 2 ** 31 - 1;

const ACCOUNTS: PagedList<Account> = {
  name: "accounts",
  keyOf: ({ id }) => String(id),
  isKey: isAccountId,
};

const ACCOUNTS_BY_TOKEN: PagedList<Account> = {
  name: "accounts by token",
  keyOf: ({ id, accountToken }) => `${id}.${Buffer.from(foldCase(accountToken)).toString("base64url")}`,
  isKey: (text) => isAccountId(text.split(".")[0] ?? "") && !tokenOfKey(text).includes("\0"),
};

/** Returns the paged list of the accounts that match a filter: by folded token and id if it has a prefix, and otherwise by id. */
export function accountListOf({ prefix }: AccountFilter): PagedList<Account> {
  return prefix === undefined ? ACCOUNTS : ACCOUNTS_BY_TOKEN;
}

/** Lists the accounts that match a filter, in the order of `accountListOf`. */
export async function listAccounts(
  db: Executor,
  { prefix, isActive }: AccountFilter,
  { after, limit }: PageBounds,
): Promise<Account[]> {
  const rows = await (prefix === undefined
    ? listStatementOf(isActive)(db, { after: Number(after ?? "0"), limit })
    : searchAccountsStatement(db, {
        afterToken: after === undefined ? prefix : tokenOfKey(after),
        afterId: after === undefined ? 0 : Number(after.split(".")[0]),
        end: prefix + AFTER_ALL_CHARACTERS,
        isActive: isActive ?? null,
        limit,
      }));
  return rows.map(accountOf);
}

function listStatementOf(isActive: boolean | undefined) {
  if (isActive === undefined) return listAccountsStatement;
  return isActive ? listEnabledAccountsStatement : listDisabledAccountsStatement;
}

const listAccountsStatement = prepareAccountList();

/** Skips disabled accounts, because they are few. */
const listEnabledAccountsStatement = prepareAccountList(true);

/** Uses the index of disabled accounts. */
const listDisabledAccountsStatement = prepareAccountList(false);

function prepareAccountList(isActive?: boolean) {
  return prepareList<{ after: number; limit: number }, AccountRow>(ACCOUNT_COLUMN_TYPES, (db, parameter) =>
    db
      .selectFrom("accounts")
      .select(ACCOUNT_COLUMNS)
      .$if(isActive !== undefined, (accounts) => accounts.where("is_active", "=", sql.lit(isActive === true)))
      .where("id", ">", parameter("after"))
      .orderBy("id")
      .limit(sql<number>`${parameter("limit")}`),
  );
}

/**
 * Returns accounts whose folded tokens are between the cursor and `end`, in order of the index.
 * A null `isActive` matches all of them.
 */
const searchAccountsStatement = prepareList<
  { afterToken: string; afterId: number; end: string; isActive: boolean | null; limit: number },
  AccountRow
>(ACCOUNT_COLUMN_TYPES, (db, parameter) =>
  db
    .selectFrom("accounts")
    .select(ACCOUNT_COLUMNS)
    .where(sql<boolean>`(lower(account_token), id) > (${parameter("afterToken")}, ${parameter("afterId")})`)
    .where(sql<string>`lower(account_token)`, "<", parameter("end"))
    .where(sql<boolean>`coalesce(is_active = ${parameter("isActive")}, true)`)
    .orderBy(sql`lower(account_token)`)
    .orderBy("id")
    .limit(sql<number>`${parameter("limit")}`),
);

/** No token contains the last code point of Unicode, which is unassigned for ever. */
const AFTER_ALL_CHARACTERS = "\u{10ffff}";

function isAccountId(text: string): boolean {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_ACCOUNT_ID;
}

function tokenOfKey(key: string): string {
  return Buffer.from(key.split(".")[1] ?? "", "base64url").toString();
}
