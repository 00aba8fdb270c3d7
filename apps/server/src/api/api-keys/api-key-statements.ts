import { type Selectable, sql } from "kysely";
import { auditPart, UPDATED } from "../../database/audit-part.js";
import type { ApiKeyTable } from "../../database/tables/api-key-table.js";
import { prepareStatement } from "../../storage/prepared-statement.js";

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

const CREDENTIAL_COLUMNS = [
  "id",
  "prefix",
  "hash",
  "scopes",
  "account_id",
  "account_token",
  "expires_at",
  "revoked_at",
] as const;

/** By the columns that are shown, so that no hash is among them. */
const AUDITED = { type: "api_key", id: "id", columns: COLUMNS } as const;

/** An API key as it is read. */
export type ApiKeyRow = Pick<Selectable<ApiKeyTable>, (typeof COLUMNS)[number]>;

/** What is read of an API key to tell whether a caller has it. */
export type CredentialRow = Pick<Selectable<ApiKeyTable>, (typeof CREDENTIAL_COLUMNS)[number]>;

/** See `insertApiKey`. */
export const insertStatement = prepareStatement<
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
      auditPart({
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
export const findStatement = prepareStatement<{ id: string | null }, ApiKeyRow>((db, parameter) =>
  db.selectFrom("api_keys").select(COLUMNS).where("id", "=", parameter("id")),
);

/** See `listApiKeys`. */
export const listStatement = prepareStatement<{ after: string; limit: number | null }, ApiKeyRow>((db, parameter) =>
  db
    .selectFrom("api_keys")
    .select(COLUMNS)
    .where("id", ">", parameter("after"))
    .orderBy("id")
    .limit(sql<number>`${parameter("limit")}`),
);

/** See `listApiKeys`. */
export const listByAccountStatement = prepareStatement<
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
export const revokeStatement = prepareStatement<{ id: string; origin: string }, ApiKeyRow>((db, parameter) =>
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
      auditPart({
        ...AUDITED,
        accountId: accountOf("before"),
        ...UPDATED,
        origin: parameter("origin"),
      }),
    )
    .selectFrom("updated")
    .select(COLUMNS),
);

/** See `findCredentials`. */
export const findCredentialsStatement = prepareStatement<{ prefixes: readonly string[] }, CredentialRow>(
  (db, parameter) =>
    db
      .selectFrom("api_keys")
      .select(CREDENTIAL_COLUMNS)
      .where("prefix", "=", sql<string>`any(${parameter("prefixes")}::text[])`),
);

/** See `noteKeyUse`. */
export const noteUseStatement = prepareStatement<{ uses: string }, object>((db, parameter) =>
  db
    .updateTable("api_keys")
    .from(
      sql<{ id: string; at: Date }>`json_to_recordset(${parameter("uses")}::json)`.as<"used">(
        sql`used (id uuid, at timestamptz)`,
      ),
    )
    .set({ last_used_at: sql<Date>`greatest(last_used_at, used.at)` })
    .whereRef("api_keys.id", "=", "used.id"),
);

/** The account that a key of a part is bound to; 0 for none. */
function accountOf(part: string) {
  return sql<number>`coalesce(${sql.ref(`${part}.account_id`)}, 0)`;
}
