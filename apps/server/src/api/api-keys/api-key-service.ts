import { create } from "@bufbuild/protobuf";
import {
  type CallerAccount,
  DomainError,
  type NewApiKey,
  parseApiKeyId,
  parseCreateApiKey,
  parseListApiKeys,
  parseUuid,
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
import { ownAccountOf } from "../../access/caller-context.js";
import { originOf } from "../../access/change-origin.js";
import { createKey, hashKey } from "../../access/key-text.js";
import { findNamedOrOwnAccount } from "../../access/named-or-own-account.js";
import { createOnce } from "../../database/idempotency/create-once.js";
import { NO_ACCOUNT, requestKey } from "../../database/idempotency/request-key.js";
import { type PagedList, readPage } from "../../database/page.js";
import type { ChangeOrigin } from "../../database/tables/audit-table.js";
import type { DatabaseAccess } from "../../storage/database.js";
import { findApiKey, insertApiKey, listApiKeys, revokeApiKey } from "./api-key-repository.js";

const API_KEYS: PagedList<ApiKey> = {
  name: "api_keys",
  keyOf: (apiKey) => apiKey.id,
  isKey: (text) => parseUuid(text) !== undefined,
};

/** Before any time that a request can have. */
export const START_OF_TIME = new Date(-8.64e15);

/** The implementation of ApiKeyService. A caller that is bound to an account reaches the keys that are bound to it too. */
export function createApiKeyService(
  { db, reads }: DatabaseAccess,
  accounts: AccountDirectory,
): ServiceImpl<typeof ApiKeyService> {
  return {
    async createApiKey(request, context) {
      // Under its id a key is answered with again that has expired since.
      const { account, requestId } = parseCreateApiKey(request, request.requestId ? START_OF_TIME : new Date());
      const owner = await findNamedOrOwnAccount(accounts, account, context.values);
      const key = requestKey(requestId, request, context, owner?.id ?? NO_ACCOUNT);
      return createOnce(db, key, async (executor) => {
        const wanted = { ...parseCreateApiKey(request, new Date()), account: owner };
        return create(CreateApiKeyResponseSchema, await makeApiKey(executor, wanted, originOf(context)));
      });
    },

    async getApiKey(request, { values }) {
      return requireApiKey(reads, parseApiKeyId(request).apiKeyId, values);
    },

    async listApiKeys(request, { values }) {
      const { account, page } = parseListApiKeys(request);
      const id = (await findNamedOrOwnAccount(accounts, account, values))?.id;
      const { entries, nextPageToken } = await readPage(API_KEYS, page, async (bounds) => ({
        owner: String(id ?? ""),
        entries: await listApiKeys(reads, id, bounds),
      }));
      return create(ListApiKeysResponseSchema, { apiKeys: entries, nextPageToken });
    },

    async revokeApiKey(request, context) {
      const { id } = await requireApiKey(db, parseApiKeyId(request).apiKeyId, context.values);
      return revokeApiKey(db, id, originOf(context));
    },
  };
}

/** A key that was made just now, and the only time that it can be read. */
export interface MadeApiKey {
  readonly apiKey: ApiKey;
  readonly key: string;
}

/** Makes a key and keeps what tells it from others. */
export async function makeApiKey(
  db: Executor,
  wanted: Omit<NewApiKey, "account" | "requestId"> & { readonly account: CallerAccount | undefined },
  origin: ChangeOrigin,
): Promise<MadeApiKey> {
  const { key, prefix } = createKey();
  return { apiKey: await insertApiKey(db, { ...wanted, prefix, hash: hashKey(key) }, origin), key };
}

/** A key that the caller reaches. */
async function requireApiKey(db: Executor, apiKeyId: string, values: ContextValues): Promise<ApiKey> {
  const own = ownAccountOf(values);
  const found = await findApiKey(db, parseUuid(apiKeyId));
  if (found === undefined || (own !== undefined && found.accountToken !== own.token)) {
    throw new DomainError("API_KEY_NOT_FOUND", { apiKeyId });
  }
  return found;
}
