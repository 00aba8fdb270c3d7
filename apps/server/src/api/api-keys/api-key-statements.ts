import { type Selectable, sql } from "kysely";
import { auditCte, UPDATE_CTES } from "../../database/audit-cte.js";
import { prepareStatement } from "../../database/prepared-statement.js";
import type { ApiKeyTable } from "../../database/tables/schema.js";

const COLUMNS = [
  "id",
  "prefix",
  "description",
  "scopes",
  "account_token",
  "created_at",
  "expires_at",
  "last_used_at",
  "revoked_at",
] as const;

/** Audits only the columns that the API returns, so that the log contains no hashes. */
const AUDITED = { type: "api_key", id: "id", columns: COLUMNS } as const;

/** The columns of an API key that the API returns. */
export type ApiKeyRow = Pick<Selectable<ApiKeyTable>, (typeof COLUMNS)[number]>;

/** See `insertApiKey`. */
export const insertApiKeyStatement = prepareStatement<
  {
    prefix: string;
    hash: string;
    description: string | null;
    scopes: readonly string[];
    accountId: number | null;
    accountToken: string | null;
    expiresAt: Date | null;
    origin: string;
  },
  ApiKeyRow
>((db, parameter) =>
  db
    .with("inserted", (cte) =>
      cte
        .insertInto("api_keys")
        .values({
          prefix: parameter("prefix"),
          hash: parameter("hash"),
          description: parameter("description"),
          scopes: sql`${parameter("scopes")}::text[]`,
          account_id: parameter("accountId"),
          account_token: parameter("accountToken"),
          expires_at: parameter("expiresAt"),
        })
        .returning(["account_id", ...COLUMNS]),
    )
    .with("audited", () =>
      auditCte({
        ...AUDITED,
        accountId: accountOf("inserted"),
        after: "inserted",
        sharesId: true,
        origin: parameter("origin"),
      }),
    )
    .selectFrom("inserted")
    .select(COLUMNS),
);

/** See `findApiKey`. */
export const findApiKeyStatement = prepareStatement<{ id: string | null }, ApiKeyRow>((db, parameter) =>
  db.selectFrom("api_keys").select(COLUMNS).where("id", "=", parameter("id")),
);

/** See `listApiKeys`. */
export const listApiKeysStatement = prepareStatement<{ after: string; limit: number | null }, ApiKeyRow>(
  (db, parameter) =>
    db
      .selectFrom("api_keys")
      .select(COLUMNS)
      .where("id", ">", parameter("after"))
      .orderBy("id")
      .limit(sql<number>`${parameter("limit")}`),
);

/** See `listApiKeys`. */
export const listApiKeysByAccountStatement = prepareStatement<
  { accountId: number; after: string; limit: number | null },
  ApiKeyRow
>((db, parameter) =>
  db
    .selectFrom("api_keys")
    .select(COLUMNS)
    .where("account_id", "=", parameter("accountId"))
    .where("id", ">", parameter("after"))
    .orderBy("id")
    .limit(sql<number>`${parameter("limit")}`),
);

/** See `revokeApiKey`. */
export const revokeApiKeyStatement = prepareStatement<{ id: string; origin: string }, ApiKeyRow>((db, parameter) =>
  db
    .with("before", (cte) =>
      cte
        .selectFrom("api_keys")
        .select(["account_id", ...COLUMNS])
        .where("id", "=", parameter("id"))
        .forNoKeyUpdate(),
    )
    .with("updated", (cte) =>
      cte
        .updateTable("api_keys")
        .set({ revoked_at: sql<Date>`least(revoked_at, now())` })
        .where("id", "=", cte.selectFrom("before").select("id"))
        .returning(COLUMNS),
    )
    .with("audited", () =>
      auditCte({
        ...AUDITED,
        accountId: accountOf("before"),
        ...UPDATE_CTES,
        origin: parameter("origin"),
      }),
    )
    .selectFrom("updated")
    .select(COLUMNS),
);

/** The account that the key of a CTE is bound to; 0 for none. */
function accountOf(part: string) {
  return sql<number>`coalesce(${sql.ref(`${part}.account_id`)}, 0)`;
}
