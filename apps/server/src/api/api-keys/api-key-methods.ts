import { parseApiKeyId, parseCreateApiKey, parseListApiKeys } from "@calltrack/domain";
import { ApiKeyService } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import { describeMethods } from "../methods/method-row.js";
import { API_KEYS } from "./api-key-repository.js";

/** The earliest time that a Date can represent. */
const EARLIEST_DATE = new Date(-8.64e15);

/** The methods of ApiKeyService. A principal that is bound to an account can only access keys of that account. */
export const API_KEY_METHODS = describeMethods(ApiKeyService, {
  createApiKey: {
    access: { scope: "admin", reach: "account" },
    account: "named or own",
    isIdempotent: true,
    audits: "api_key",
    // A repeated request returns the same key, even if that key has expired since. Then creation checks the expiry.
    parse: (request) => parseCreateApiKey(request, request.requestId ? EARLIEST_DATE : new Date()),
  },
  getApiKey: { access: { scope: "admin", reach: "own" }, parse: parseApiKeyId },
  listApiKeys: {
    access: { scope: "admin", reach: "account" },
    account: "named or own",
    list: API_KEYS,
    parse: parseListApiKeys,
  },
  revokeApiKey: { access: { scope: "admin", reach: "own" }, audits: "api_key", parse: parseApiKeyId },
});
