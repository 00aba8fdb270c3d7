import { parseUuid, type Scope } from "@calltrack/domain";
import { type ApiKey, ApiKeyScope } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import { type Executor, listColumnNames, type ParameterGetter } from "@calltrack/postgres";
import { type Selectable, sql } from "kysely";
import { buildAuditCte } from "../../database/audit-cte.js";
import { buildAuditedUpdate } from "../../database/audited-update.js";
import { createPagedListById, NIL_UUID, type PageBounds } from "../../database/page.js";
import { prepareList, prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";
import { createStoredEnum } from "../../database/stored-enum.js";
import type { ApiKeyTable, ChangeOrigin } from "../../database/tables/schema.js";
import { toTimestamp } from "../../database/timestamp.js";

/** The API keys that are bound to one account, or all API keys. */
export const API_KEY_PAGED_LIST = createPagedListById<ApiKey>("api_keys");

const SCOPES = createStoredEnum(ApiKeyScope);

const COLUMN_TYPES = {
  id: "text",
  prefix: "text",
  description: "text",
  scopes: "value",
  account_token: "text",
  created_at: "time",
  expires_at: "time",
  last_used_at: "time",
  revoked_at: "time",
} as const;

const COLUMNS = listColumnNames(COLUMN_TYPES);

/** Audits only the columns that the API returns, so that the audit log contains no key hashes. */
const AUDITED = { type: "api_key", columns: COLUMNS } as const;

type ApiKeyRow = Pick<Selectable<ApiKeyTable>, (typeof COLUMNS)[number]>;

type NewApiKeyRow = Pick<
  Selectable<ApiKeyTable>,
  "prefix" | "hash" | "description" | "scopes" | "account_id" | "account_token" | "expires_at"
>;

export async function insertApiKey(db: Executor, key: NewApiKeyRow, origin: ChangeOrigin): Promise<ApiKey> {
  const [row] = await insertApiKeyStatement(db, { ...key, origin: JSON.stringify(origin) });
  return apiKeyOf(row as ApiKeyRow);
}

const insertApiKeyStatement = prepareStatement<NewApiKeyRow & { origin: string }, ApiKeyRow>((db, parameter) =>
  db
    .with("inserted", (cte) =>
      cte
        .insertInto("api_keys")
        .values({
          prefix: parameter("prefix"),
          hash: parameter("hash"),
          description: parameter("description"),
          scopes: sql`${parameter("scopes")}::text[]`,
          account_id: parameter("account_id"),
          account_token: parameter("account_token"),
          expires_at: parameter("expires_at"),
        })
        .returning(["account_id", ...COLUMNS]),
    )
    .with("audited", () =>
      buildAuditCte({
        ...AUDITED,
        accountId: ownerOf("inserted"),
        after: "inserted",
        sharesId: true,
        origin: parameter("origin"),
      }),
    )
    .selectFrom("inserted")
    .select(COLUMNS),
);

export async function findApiKey(db: Executor, id: string): Promise<ApiKey | undefined> {
  const [row] = await findApiKeyStatement(db, { id: parseUuid(id) ?? null });
  return row && apiKeyOf(row);
}

const findApiKeyStatement = prepareStatement<{ id: string | null }, ApiKeyRow>((db, parameter) =>
  db.selectFrom("api_keys").select(COLUMNS).where("id", "=", parameter("id")),
);

/**
 * Lists API keys in the order of their creation, after the key with the id `after`.
 *
 * @param accountId selects the keys that are bound to this account; undefined for all keys.
 */
export async function listApiKeys(
  db: Executor,
  accountId: number | undefined,
  { after = NIL_UUID, limit }: PageBounds,
): Promise<ApiKey[]> {
  const rows = await (accountId === undefined
    ? listApiKeysStatement(db, { after, limit })
    : listApiKeysByAccountStatement(db, { accountId, after, limit }));
  return rows.map(apiKeyOf);
}

const listApiKeysStatement = prepareList<ListParameters, ApiKeyRow>(COLUMN_TYPES, (db, parameter) =>
  selectPage(db, parameter),
);

const listApiKeysByAccountStatement = prepareList<ListParameters & { accountId: number }, ApiKeyRow>(
  COLUMN_TYPES,
  (db, parameter) => selectPage(db, parameter).where("account_id", "=", parameter("accountId")),
);

interface ListParameters {
  after: string;
  limit: number;
}

function selectPage(db: QueryBuilder, parameter: ParameterGetter<ListParameters>) {
  return db
    .selectFrom("api_keys")
    .select(COLUMNS)
    .where("id", ">", parameter("after"))
    .orderBy("id")
    .limit(sql<number>`${parameter("limit")}`);
}

/** Revokes an existing API key. If the key is already revoked, its `revoked_at` stays unchanged. */
export async function revokeApiKey(db: Executor, id: string, origin: ChangeOrigin): Promise<ApiKey> {
  const [row] = await revokeApiKeyStatement(db, { id, origin: JSON.stringify(origin) });
  return apiKeyOf(row as ApiKeyRow);
}

const revokeApiKeyStatement = prepareStatement<{ id: string; origin: string }, ApiKeyRow>((db, parameter) =>
  buildAuditedUpdate(db, "api_keys", {
    ...AUDITED,
    key: { id: parameter("id") },
    set: { revoked_at: sql<Date>`least(revoked_at, now())` },
    returning: ["account_id", ...COLUMNS],
    accountId: ownerOf("updated"),
    origin: parameter("origin"),
  })
    .selectFrom("updated")
    .select(COLUMNS),
);

/**
 * Builds the SQL for the id of the account to which an API key is bound. `part` is the name of the CTE with the key. The id is 0 if the key is bound
 * to no account.
 */
function ownerOf(part: string) {
  return sql<number>`coalesce(${sql.ref(`${part}.account_id`)}, 0)`;
}

export function toApiKeyScopes(scopes: readonly Scope[]): ApiKeyScope[] {
  return scopes.map((scope) => SCOPES[scope]);
}

function apiKeyOf(row: ApiKeyRow): ApiKey {
  return {
    $typeName: "calltracking.v1.ApiKey",
    id: row.id,
    prefix: row.prefix,
    description: row.description ?? undefined,
    scopes: toApiKeyScopes(row.scopes),
    accountToken: row.account_token ?? undefined,
    createdAt: toTimestamp(row.created_at),
    expiresAt: row.expires_at === null ? undefined : toTimestamp(row.expires_at),
    lastUsedAt: row.last_used_at === null ? undefined : toTimestamp(row.last_used_at),
    revokedAt: row.revoked_at === null ? undefined : toTimestamp(row.revoked_at),
    // API keys have no `updated_at`. Only `last_used_at` and `revoked_at` ever change.
    etag: `"${row.last_used_at?.getTime() ?? 0}-${row.revoked_at?.getTime() ?? 0}"`,
  };
}
