import { type AccountFilter, toAsciiLowerCase } from "@calltrack/domain";
import type { Account } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import type { DatabaseAccess } from "../../database/open-database.js";
import type { PageBounds, PagedList } from "../../database/page.js";
import { prepareList, prepareStatement } from "../../database/prepared-statement.js";
import { ACCOUNT_COLUMN_TYPES, ACCOUNT_COLUMNS, type AccountRow, toAccountMessage } from "./account-repository.js";

/** The maximum of PostgreSQL's type `integer`, which the column `id` has. */
const MAX_ACCOUNT_ID = 2 ** 31 - 1;

const ACCOUNTS: PagedList<Account> = {
  name: "accounts",
  keyOf: ({ id }) => String(id),
  isKey: isAccountId,
};

const ACCOUNTS_BY_TOKEN: PagedList<Account> = {
  name: "accounts by token",
  keyOf: ({ id, accountToken }) => `${id}.${Buffer.from(toAsciiLowerCase(accountToken)).toString("base64url")}`,
  isKey: (text) => isAccountId(text.split(".")[0] ?? "") && !tokenOfKey(text).includes("\0"),
};

/** A filter with a prefix sorts accounts by case-folded token and then by id. Any other filter sorts them by id. */
export function selectAccountPagedList({ prefix }: AccountFilter): PagedList<Account> {
  return prefix === undefined ? ACCOUNTS : ACCOUNTS_BY_TOKEN;
}

/** Lists the accounts that match a filter, in the order that `selectAccountPagedList` describes. */
export async function listAccounts(
  { db, isDistributed }: Pick<DatabaseAccess, "db" | "isDistributed">,
  { prefix, isActive }: AccountFilter,
  { after, limit }: PageBounds,
): Promise<Account[]> {
  const rows = await (prefix === undefined
    ? listStatementOf(isActive, isDistributed)(db, { after: Number(after ?? "0"), limit })
    : searchAccountsStatement(db, {
        afterToken: after === undefined ? prefix : tokenOfKey(after),
        afterId: after === undefined ? 0 : Number(after.split(".")[0]),
        end: prefix + AFTER_ALL_CHARACTERS,
        isActive: isActive ?? null,
        limit,
      }));
  return rows.map(toAccountMessage);
}

function listStatementOf(isActive: boolean | undefined, isDistributed: boolean) {
  if (isActive === false) return listDisabledAccountsStatement;
  if (isDistributed) return (db: Executor, range: IdRange) => listByHandles(db, range, isActive === true);
  return isActive === undefined ? listAccountsStatement : listEnabledAccountsStatement;
}

/**
 * Lists accounts on a Citus cluster. Every server stores all account handles, so one server finds the ids for a page, and each shard returns
 * only its accounts with these ids. Without the ids, each shard would return a whole page.
 */
async function listByHandles(db: Executor, { after, limit }: IdRange, onlyEnabled: boolean): Promise<AccountRow[]> {
  const listed: AccountRow[] = [];
  for (let last = after; ; ) {
    const ids = (await listAccountIdsStatement(db, { after: last, limit })).map(({ id }) => id);
    const rows = ids.length === 0 ? [] : await listAccountsByIdStatement(db, { ids });
    rows.sort((one, other) => one.id - other.id);
    listed.push(...(onlyEnabled ? rows.filter((row) => row.is_active) : rows));
    if (ids.length < limit || listed.length >= limit) return listed.slice(0, limit);
    last = ids[limit - 1] as number;
  }
}

/** Selects the first `limit` accounts whose ids are greater than `after`. */
interface IdRange {
  readonly after: number;
  readonly limit: number;
}

/** Every account has its id as a handle. PostgreSQL uses the partial index on these handles only if the condition has the index's collation. */
const listAccountIdsStatement = prepareStatement<IdRange, { id: number }>((db, parameter) =>
  db
    .selectFrom("account_handles")
    .select("account_id as id")
    .where(sql<boolean>`handle = (account_id::text collate "C")`)
    .where("account_id", ">", parameter("after"))
    .orderBy("account_id")
    .limit(sql<number>`${parameter("limit")}`),
);

/** Does not sort the accounts, because Citus sorts rows from several shards only in a statement with a limit. */
const listAccountsByIdStatement = prepareList<{ ids: readonly number[] }, AccountRow>(
  ACCOUNT_COLUMN_TYPES,
  (db, parameter) =>
    db
      .selectFrom("accounts")
      .select(ACCOUNT_COLUMNS)
      .where(sql<boolean>`id = any(${parameter("ids")}::integer[])`),
);

const listAccountsStatement = prepareAccountList();

/** Scans all accounts by id and skips disabled ones, because few accounts are disabled. */
const listEnabledAccountsStatement = prepareAccountList(true);

/** Uses the partial index on disabled accounts. */
const listDisabledAccountsStatement = prepareAccountList(false);

function prepareAccountList(isActive?: boolean) {
  return prepareList<IdRange, AccountRow>(ACCOUNT_COLUMN_TYPES, (db, parameter) =>
    db
      .selectFrom("accounts")
      .select(ACCOUNT_COLUMNS)
      .$if(isActive !== undefined, (accounts) => accounts.where("is_active", "=", sql.lit(isActive === true)))
      .where("id", ">", parameter("after"))
      .orderBy("id")
      .limit(sql<number>`${parameter("limit")}`),
  );
}

/** Lists accounts that sort after `afterToken` and `afterId`, and whose case-folded tokens sort before `end`. A null `isActive` matches all. */
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

/** The last Unicode code point: a noncharacter, so that no account token contains it. */
const AFTER_ALL_CHARACTERS = "\u{10ffff}";

function isAccountId(text: string): boolean {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_ACCOUNT_ID;
}

function tokenOfKey(key: string): string {
  return Buffer.from(key.split(".")[1] ?? "", "base64url").toString();
}
