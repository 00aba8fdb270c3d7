import type { Account } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { type Selectable, sql } from "kysely";
import type { PageBounds } from "../storage/page.js";
import { type Executor, prepareStatement } from "../storage/prepared-statement.js";
import { timestampOf } from "../storage/timestamp.js";
import { nextUpdateTime } from "../storage/update-time.js";
import type { AccountTable } from "./account-table.js";

const COLUMNS = ["id", "account_token", "is_active", "created_at", "updated_at"] as const;

type AccountRow = Selectable<AccountTable>;

/** An account by one of its names. */
export interface NamedAccount {
  readonly account_id: number;
  readonly account_token: string;
}

/**
 * Creates an account with both its handles, in one statement.
 *
 * @returns undefined, and takes no id, if an account goes by the token already.
 * @throws the database's error for the constraint `account_handles_pkey` if the token was taken in this moment, or if the id
 *   that was drawn is the token of another account. The id is used up then, so that trying again gets on.
 */
export async function insertAccount(db: Executor, accountToken: string): Promise<Account | undefined> {
  const [row] = await insertAccountStatement(db, { accountToken });
  return row && accountOf(row);
}

/** The account that goes by this token or id, or undefined. */
export async function findAccountByHandle(db: Executor, handle: string): Promise<NamedAccount | undefined> {
  const [row] = await findHandleStatement(db, { handle });
  return row;
}

/** The account of this id, or undefined. */
export async function findAccount(db: Executor, id: number): Promise<Account | undefined> {
  const [row] = await findAccountStatement(db, { id });
  return row && accountOf(row);
}

/** Accounts in the order of their ids. `after` is an id in decimal. */
export async function listAccounts(db: Executor, { after, limit }: PageBounds): Promise<Account[]> {
  const rows = await listAccountsStatement(db, { after: after === undefined ? 0 : Number(after), limit });
  return rows.map(accountOf);
}

/** Sets whether an account is active; `updated_at` always moves. Undefined if there is no such account. */
export async function updateAccount(db: Executor, id: number, isActive: boolean): Promise<Account | undefined> {
  const [row] = await updateAccountStatement(db, { id, isActive });
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
  };
}

const insertAccountStatement = prepareStatement<{ accountToken: string }, AccountRow>((db, parameter) =>
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
        .returning(COLUMNS),
    )
    .with("handles", (cte) =>
      cte
        .insertInto("account_handles")
        .columns(["handle", "account_id", "account_token"])
        .expression((from) =>
          // A union, not a union all: a token that equals its own account's id is one handle.
          from
            .selectFrom("account")
            .select(["account_token as handle", "id", "account_token"])
            .union(from.selectFrom("account").select([sql<string>`id::text`.as("handle"), "id", "account_token"])),
        )
        .returning("handle"),
    )
    .selectFrom("account")
    .select(COLUMNS),
);

const findHandleStatement = prepareStatement<{ handle: string }, NamedAccount>((db, parameter) =>
  db.selectFrom("account_handles").select(["account_id", "account_token"]).where("handle", "=", parameter("handle")),
);

const findAccountStatement = prepareStatement<{ id: number }, AccountRow>((db, parameter) =>
  db.selectFrom("accounts").select(COLUMNS).where("id", "=", parameter("id")),
);

const listAccountsStatement = prepareStatement<{ after: number; limit: number | null }, AccountRow>((db, parameter) =>
  db
    .selectFrom("accounts")
    .select(COLUMNS)
    .where("id", ">", parameter("after"))
    .orderBy("id")
    .limit(sql<number>`${parameter("limit")}`),
);

const updateAccountStatement = prepareStatement<{ id: number; isActive: boolean }, AccountRow>((db, parameter) =>
  db
    .updateTable("accounts")
    .set({ is_active: parameter("isActive"), updated_at: nextUpdateTime })
    .where("id", "=", parameter("id"))
    .returning(COLUMNS),
);
