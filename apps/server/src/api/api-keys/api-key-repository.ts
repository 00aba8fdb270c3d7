import type { CallerAccount, NewApiKey, Scope } from "@calltrack/domain";
import { type ApiKey, ApiKeyScope } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import type { Executor } from "@calltrack/postgres";
import type { PageBounds } from "../../database/page.js";
import { BEFORE_ALL_IDS } from "../../database/page.js";
import { storedEnum } from "../../database/stored-enum.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { timestampOf } from "../../database/timestamp.js";
import {
  type ApiKeyRow,
  findApiKeyStatement,
  insertApiKeyStatement,
  listApiKeysByAccountStatement,
  listApiKeysStatement,
  revokeApiKeyStatement,
} from "./api-key-statements.js";

const SCOPES = storedEnum(ApiKeyScope);

/** The immutable columns of a new key. */
export interface StoredApiKey extends Pick<NewApiKey, "scopes" | "description" | "expiresAt"> {
  readonly prefix: string;
  readonly hash: string;
  readonly account: CallerAccount | undefined;
}

/** Inserts a new key. */
export async function insertApiKey(db: Executor, key: StoredApiKey, origin: ChangeOrigin): Promise<ApiKey> {
  const { prefix, hash, scopes, description = null, account, expiresAt = null } = key;
  const [row] = await insertApiKeyStatement(db, {
    ...{ prefix, hash, scopes, description, expiresAt },
    accountId: account?.id ?? null,
    accountToken: account?.token ?? null,
    origin: JSON.stringify(origin),
  });
  return apiKeyOf(row as ApiKeyRow);
}

/** Finds a key by its id. Returns undefined if there is none. */
export async function findApiKey(db: Executor, id: string | undefined): Promise<ApiKey | undefined> {
  const [row] = await findApiKeyStatement(db, { id: id ?? null });
  return row && apiKeyOf(row);
}

/**
 * Lists keys in the order of their creation.
 *
 * @param accountId lists only keys that are bound to this account; undefined for all keys.
 * @param after a key's id, as a cursor.
 */
export async function listApiKeys(
  db: Executor,
  accountId: number | undefined,
  { after = BEFORE_ALL_IDS, limit }: PageBounds,
): Promise<ApiKey[]> {
  const rows = await (accountId === undefined
    ? listApiKeysStatement(db, { after, limit })
    : listApiKeysByAccountStatement(db, { accountId, after, limit }));
  return rows.map(apiKeyOf);
}

/** Revokes an existing key. Keeps the time of an earlier revocation. */
export async function revokeApiKey(db: Executor, id: string, origin: ChangeOrigin): Promise<ApiKey> {
  const [row] = await revokeApiKeyStatement(db, { id, origin: JSON.stringify(origin) });
  return apiKeyOf(row as ApiKeyRow);
}

/** Converts scopes to the API's enum. */
export function apiKeyScopesOf(scopes: readonly Scope[]): ApiKeyScope[] {
  return scopes.map((scope) => SCOPES[scope]);
}

function apiKeyOf(row: ApiKeyRow): ApiKey {
  return {
    $typeName: "calltracking.v1.ApiKey",
    id: row.id,
    prefix: row.prefix,
    description: row.description ?? undefined,
    scopes: apiKeyScopesOf(row.scopes),
    accountToken: row.account_token ?? undefined,
    createdAt: timestampOf(row.created_at),
    expiresAt: row.expires_at === null ? undefined : timestampOf(row.expires_at),
    lastUsedAt: row.last_used_at === null ? undefined : timestampOf(row.last_used_at),
    revokedAt: row.revoked_at === null ? undefined : timestampOf(row.revoked_at),
    // Only these two columns of a key ever change, and there is no `updated_at`.
    etag: `"${row.last_used_at?.getTime() ?? 0}-${row.revoked_at?.getTime() ?? 0}"`,
  };
}
