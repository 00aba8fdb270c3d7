import type { EventType } from "@calltrack/domain";
import type { Account } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { type Executor, listColumnNames } from "@calltrack/postgres";
import { type Selectable, sql } from "kysely";
import { buildAuditCte } from "../../database/audit-cte.js";
import { buildAuditedUpdate } from "../../database/audited-update.js";
import { formatEtag } from "../../database/etag.js";
import { buildEtagConditionSql, type EtagCondition } from "../../database/etag-condition.js";
import { buildEventCte } from "../../database/event-cte.js";
import { prepareLookup, prepareStatement } from "../../database/prepared-statement.js";
import type { AccountTable, ChangeOrigin } from "../../database/tables/schema.js";
import { toTimestamp } from "../../database/timestamp.js";
import { nextUpdateTimeExpression } from "../../database/update-time.js";

/** The columns of the table `accounts` that the API returns, with their types. */
export const ACCOUNT_COLUMN_TYPES = {
  id: "value",
  account_token: "text",
  is_active: "value",
  created_at: "time",
  updated_at: "time",
} as const;

export const ACCOUNT_COLUMNS = listColumnNames(ACCOUNT_COLUMN_TYPES);

const AUDITED = { type: "account", columns: ACCOUNT_COLUMNS } as const;

export type AccountRow = Pick<Selectable<AccountTable>, keyof typeof ACCOUNT_COLUMN_TYPES>;

/**
 * Creates an account with its two handles, the token and the id, in one statement.
 *
 * @returns undefined, without using up an id, if the token is already a handle of an account.
 * @throws the database's error for the constraint `account_handles_pkey` if a concurrent request took the token, or if the new account's id
 *   equals another account's token. Either error uses up the id, so that a retry gets a new id.
 */
export async function insertAccount(
  db: Executor,
  accountToken: string,
  origin: ChangeOrigin,
): Promise<Account | undefined> {
  const [row] = await insertAccountStatement(db, { accountToken, origin: JSON.stringify(origin) });
  return row && toAccountMessage(row);
}

const insertAccountStatement = prepareStatement<{ accountToken: string; origin: string }, AccountRow>((db, parameter) =>
  db
    .with("account", (cte) =>
      cte
        .insertInto("accounts")
        .columns(["account_token"])
        .expression(
          cte
            .selectNoFrom(sql<string>`${parameter("accountToken")}::text`.as("account_token"))
            .where(({ not, exists, selectFrom }) =>
              not(
                exists(selectFrom("account_handles").select("handle").where("handle", "=", parameter("accountToken"))),
              ),
            ),
        )
        .returning(ACCOUNT_COLUMNS),
    )
    .with("handles", (cte) =>
      cte
        .insertInto("account_handles")
        .columns(["handle", "account_id", "account_token"])
        .expression((from) =>
          // `union` removes the duplicate row if the token equals the account's own id.
          from
            .selectFrom("account")
            .select(["account_token as handle", "id", "account_token"])
            .union(from.selectFrom("account").select([sql<string>`id::text`.as("handle"), "id", "account_token"])),
        )
        .returning("handle"),
    )
    .with("audited", () =>
      buildAuditCte({ ...AUDITED, accountId: sql.ref("account.id"), after: "account", origin: parameter("origin") }),
    )
    .with("logged", () =>
      buildEventCte({ type: "account.created", accountId: sql.ref("account.id"), from: sql.table("account") }),
    )
    .selectFrom("account")
    .select(ACCOUNT_COLUMNS),
);

export async function findAccount(db: Executor, id: number): Promise<Account | undefined> {
  const [row] = await findAccountStatement(db, { id });
  return row && toAccountMessage(row);
}

const findAccountStatement = prepareLookup<{ id: number }, AccountRow>({ id: "integer" }, (db, parameter) =>
  db.selectFrom("accounts").select(ACCOUNT_COLUMNS).where("id", "=", parameter("id")),
);

/** Advances `updated_at` even if nothing changes. Returns undefined if the account is unknown or the etag condition fails. */
export async function updateAccount(
  db: Executor,
  id: number,
  isActive: boolean,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<Account | undefined> {
  const [row] = await updateAccountStatement(db, { id, isActive, ...condition, origin: JSON.stringify(origin) });
  return row && toAccountMessage(row);
}

const updateAccountStatement = prepareStatement<
  EtagCondition & { id: number; isActive: boolean; origin: string },
  AccountRow
>((db, parameter) =>
  buildAuditedUpdate(db, "accounts", {
    ...AUDITED,
    key: { id: parameter("id") },
    condition: buildEtagConditionSql(parameter),
    set: { is_active: parameter("isActive"), updated_at: nextUpdateTimeExpression },
    returning: ACCOUNT_COLUMNS,
    event: {
      type: sql<EventType>`case when updated.is_active = before.is_active then 'account.updated'
        when updated.is_active then 'account.enabled' else 'account.disabled' end`,
    },
    accountId: parameter("id"),
    origin: parameter("origin"),
  })
    .selectFrom("updated")
    .select(ACCOUNT_COLUMNS),
);

export function toAccountMessage(row: AccountRow): Account {
  return {
    $typeName: "calltracking.v1.Account",
    id: row.id,
    isActive: row.is_active,
    accountToken: row.account_token,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    etag: formatEtag(row.updated_at),
  };
}
