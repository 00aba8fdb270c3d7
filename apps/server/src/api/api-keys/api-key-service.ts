import { create } from "@bufbuild/protobuf";
import {
  type CallerAccount,
  DomainError,
  type NewApiKey,
  parseApiKeyId,
  parseCreateApiKey,
  parseListApiKeys,
} from "@calltrack/domain";
import {
  type ApiKey,
  type ApiKeyService,
  CreateApiKeyResponseSchema,
  ListApiKeysResponseSchema,
} from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import type { Executor } from "@calltrack/postgres";
import type { ContextValues, ServiceImpl } from "@connectrpc/connect";
import type { AccountDirectory } from "../../access/account-directory.js";
import { findNamedOrOwnAccount, ownAccountOf } from "../../access/caller-context.js";
import { changeOriginOf } from "../../access/change-origin.js";
import { createRequestKey } from "../../access/create-request-key.js";
import { createKey, hashKey } from "../../access/key-format.js";
import { createOnce } from "../../database/idempotency/create-once.js";
import { NO_ACCOUNT } from "../../database/idempotency/request-key.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { pagedListById, readPage } from "../../database/page.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { findApiKey, insertApiKey, listApiKeys, revokeApiKey } from "./api-key-repository.js";

const API_KEYS = pagedListById<ApiKey>("api_keys");

/** The earliest time that a Date can represent. */
export const EARLIEST_DATE = new Date(-8.64e15);

/**
 * Creates the implementation of ApiKeyService. A caller that is bound to an account can only access keys of that
 * account.
 */
export function createApiKeyService(
  { db }: DatabaseAccess,
  accounts: AccountDirectory,
): ServiceImpl<typeof ApiKeyService> {
  return {
    async createApiKey(request, context) {
      // A repeated request returns the same key, even if that key has expired since. The expiry is checked only on
      // creation.
      const { account, requestId } = parseCreateApiKey(request, request.requestId ? EARLIEST_DATE : new Date());
      const owner = await findNamedOrOwnAccount(accounts, account, context.values);
      const key = createRequestKey(requestId, request, context, owner?.id ?? NO_ACCOUNT);
      return createOnce(db, key, async (executor) => {
        const wanted = { ...parseCreateApiKey(request, new Date()), account: owner };
        return create(CreateApiKeyResponseSchema, await issueApiKey(executor, wanted, changeOriginOf(context)));
      });
    },

    async getApiKey(request, { values }) {
      return requireApiKey(db, parseApiKeyId(request).apiKeyId, values);
    },

    async listApiKeys(request, { values }) {
      const { account, page } = parseListApiKeys(request);
      const id = (await findNamedOrOwnAccount(accounts, account, values))?.id;
      const { entries, nextPageToken } = await readPage(API_KEYS, page, async (bounds) => ({
        owner: String(id ?? ""),
        entries: await listApiKeys(db, id, bounds),
      }));
      return create(ListApiKeysResponseSchema, { apiKeys: entries, nextPageToken });
    },

    async revokeApiKey(request, context) {
      const { id } = await requireApiKey(db, parseApiKeyId(request).apiKeyId, context.values);
      return revokeApiKey(db, id, changeOriginOf(context));
    },
  };
}

/** A newly created key. `key` is the secret text, which cannot be retrieved later. */
export interface IssuedApiKey {
  readonly apiKey: ApiKey;
  readonly key: string;
}

/** Generates a key and stores its hash. */
export async function issueApiKey(
  db: Executor,
  wanted: Omit<NewApiKey, "account" | "requestId"> & { readonly account: CallerAccount | undefined },
  origin: ChangeOrigin,
): Promise<IssuedApiKey> {
  const { key, prefix } = createKey();
  return { apiKey: await insertApiKey(db, { ...wanted, prefix, hash: hashKey(key) }, origin), key };
}

/**
 * Finds a key that the caller may access.
 *
 * @throws DomainError `API_KEY_NOT_FOUND`
 */
async function requireApiKey(db: Executor, apiKeyId: string, values: ContextValues): Promise<ApiKey> {
  const own = ownAccountOf(values);
  const found = await findApiKey(db, apiKeyId);
  if (found === undefined || (own !== undefined && found.accountToken !== own.token)) {
    throw new DomainError("API_KEY_NOT_FOUND", { apiKeyId });
  }
  return found;
}
