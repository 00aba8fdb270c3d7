import { create } from "@bufbuild/protobuf";
import { DomainError, type NewApiKey, type PrincipalAccount, requireFutureExpiry } from "@calltrack/domain";
import {
  type ApiKey,
  CreateApiKeyResponseSchema,
  ListApiKeysResponseSchema,
} from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import type { Executor } from "@calltrack/postgres";
import { generateApiKey, hashApiKey } from "../../access/api-key-format.js";
import { createResourceOnce } from "../../database/idempotency/create-resource-once.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import type { ServiceImplementation } from "../methods/method-row.js";
import type { API_KEY_METHODS } from "./api-key-methods.js";
import { findApiKey, insertApiKey, listApiKeys, revokeApiKey } from "./api-key-repository.js";

export function createApiKeyService({ db }: DatabaseAccess): ServiceImplementation<typeof API_KEY_METHODS> {
  return {
    createApiKey: (wanted, { account, key, origin }) =>
      createResourceOnce(db, key, async (executor) => {
        requireFutureExpiry(wanted.expiresAt, new Date());
        const owner = account && { id: account.accountId, token: account.accountToken };
        return create(CreateApiKeyResponseSchema, await issueApiKey(executor, { ...wanted, account: owner }, origin));
      }),

    getApiKey: ({ apiKeyId }, { own }) => requireApiKey(db, apiKeyId, own),

    async listApiKeys(_, { account, readPage }) {
      const accountId = account?.accountId;
      const { entries, nextPageToken } = await readPage(String(accountId ?? ""), (bounds) =>
        listApiKeys(db, accountId, bounds),
      );
      return create(ListApiKeysResponseSchema, { apiKeys: entries, nextPageToken });
    },

    async revokeApiKey({ apiKeyId }, { own, origin }) {
      const { id } = await requireApiKey(db, apiKeyId, own);
      return revokeApiKey(db, id, origin);
    },
  };
}

/** A new API key. `key` is the secret, which cannot be retrieved later. */
export interface IssuedApiKey {
  readonly apiKey: ApiKey;
  readonly key: string;
}

/** Generates an API key. The database stores only the key's hash. */
export async function issueApiKey(
  db: Executor,
  wanted: Omit<NewApiKey, "account" | "requestId"> & { readonly account: PrincipalAccount | undefined },
  origin: ChangeOrigin,
): Promise<IssuedApiKey> {
  const { key, prefix } = generateApiKey();
  const { scopes, description = null, account, expiresAt = null } = wanted;
  const owner = { account_id: account?.id ?? null, account_token: account?.token ?? null };
  const row = { prefix, hash: hashApiKey(key), description, scopes, ...owner, expires_at: expiresAt };
  return { apiKey: await insertApiKey(db, row, origin), key };
}

/** Finds an API key that the principal may access. Throws DomainError `API_KEY_NOT_FOUND` for any other id. */
async function requireApiKey(db: Executor, apiKeyId: string, own: PrincipalAccount | undefined): Promise<ApiKey> {
  const found = await findApiKey(db, apiKeyId);
  if (found === undefined || (own !== undefined && found.accountToken !== own.token)) {
    throw new DomainError("API_KEY_NOT_FOUND", { apiKeyId });
  }
  return found;
}
