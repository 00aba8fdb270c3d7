import { type Selectable, sql } from "kysely";
import { auditCte, UPDATE_CTES } from "../../database/audit-cte.js";
import { type EtagCondition, matchesEtagCondition } from "../../database/etag-condition.js";
import { prepareLookup, prepareStatement } from "../../database/prepared-statement.js";
import type { AccountTable } from "../../database/tables/schema.js";
import { nextUpdateTime } from "../../database/update-time.js";

const COLUMNS = ["id", "account_token", "is_active", "created_at", "updated_at"] as const;

const AUDITED = { type: "account", id: "id", columns: COLUMNS } as const;

/** An account's row. */
export type AccountRow = Selectable<AccountTable>;

interface InsertParameters {
  accountToken: string;
  origin: string;
}

/** See `insertAccount`. */
export const insertAccountStatement = prepareStatement<InsertParameters, AccountRow>((db, parameter) =>
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
          // `union` removes the duplicate if the token equals the account's own id.
          from
            .selectFrom("account")
            .select(["account_token as handle", "id", "account_token"])
            .union(from.selectFrom("account").select([sql<string>`id::text`.as("handle"), "id", "account_token"])),
        )
        .returning("handle"),
    )
    .with("audited", () =>
      auditCte({ ...AUDITED, accountId: sql.ref("account.id"), after: "account", origin: parameter("origin") }),
    )
    .selectFrom("account")
    .select(COLUMNS),
);

/** See `findAccount`. */
export const findAccountStatement = prepareLookup<{ id: number }, AccountRow>({ id: "integer" }, (db, parameter) =>
  db.selectFrom("accounts").select(COLUMNS).where("id", "=", parameter("id")),
);

/** See `listAccounts`. */
export const listAccountsStatement = prepareList();

/** Like `listAccountsStatement`, for enabled accounts. Skips disabled ones, because they are few. */
export const listEnabledAccountsStatement = prepareList(true);

/** Like `listAccountsStatement`, for disabled accounts, which have an index of their own. */
export const listDisabledAccountsStatement = prepareList(false);

function prepareList(isActive?: boolean) {
  return prepareStatement<{ after: number; limit: number | null }, AccountRow>((db, parameter) =>
    db
      .selectFrom("accounts")
      .select(COLUMNS)
      .$if(isActive !== undefined, (accounts) => accounts.where("is_active", "=", sql.lit(isActive === true)))
      .where("id", ">", parameter("after"))
      .orderBy("id")
      .limit(sql<number>`${parameter("limit")}`),
  );
}

/**
 * See `searchAccounts`. Returns accounts whose folded tokens are between the cursor and `end`, in order of the index.
 * A null `isActive` matches all of them.
 */
export const searchAccountsStatement = prepareStatement<
  { afterToken: string; afterId: number; end: string; isActive: boolean | null; limit: number | null },
  AccountRow
>((db, parameter) =>
  db
    .selectFrom("accounts")
    .select(COLUMNS)
    .where(sql<boolean>`(lower(account_token), id) > (${parameter("afterToken")}, ${parameter("afterId")})`)
    .where(sql<string>`lower(account_token)`, "<", parameter("end"))
    .where(sql<boolean>`coalesce(is_active = ${parameter("isActive")}, true)`)
    .orderBy(sql`lower(account_token)`)
    .orderBy("id")
    .limit(sql<number>`${parameter("limit")}`),
);

interface UpdateParameters extends EtagCondition {
  id: number;
  isActive: boolean;
  origin: string;
}

/** See `updateAccount`. */
export const updateAccountStatement = prepareStatement<UpdateParameters, AccountRow>((db, parameter) =>
  db
    .with("before", (cte) =>
      cte.selectFrom("accounts").select(COLUMNS).where("id", "=", parameter("id")).forNoKeyUpdate(),
    )
    .with("updated", (cte) =>
      cte
        .updateTable("accounts")
        .set({ is_active: parameter("isActive"), updated_at: nextUpdateTime })
        .where("id", "=", parameter("id"))
        .where("id", "=", cte.selectFrom("before").select("id"))
        .where(matchesEtagCondition(parameter, sql.ref("updated_at")))
        .returning(COLUMNS),
    )
    .with("audited", () =>
      auditCte({ ...AUDITED, ...UPDATE_CTES, accountId: parameter("id"), origin: parameter("origin") }),
    )
    .selectFrom("updated")
    .select(COLUMNS),
);
