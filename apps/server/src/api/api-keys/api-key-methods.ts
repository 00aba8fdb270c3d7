import { parseApiKeyId, parseCreateApiKey, parseListApiKeys } from "@calltrack/domain";
import { ApiKeyService } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import { describeMethods } from "../methods/method-row.js";
import { API_KEYS } from "./api-key-repository.js";

/** The earliest time that a Date can represent. Used as the current time, it makes every expiry lie in the future. */
const EARLIEST_DATE = new Date(-8.64e15);

/** A principal that is bound to an account can access only the keys of that account. */
export const API_KEY_METHODS = describeMethods(ApiKeyService, {
  createApiKey: {
    access: { scope: "admin", reach: "account" },
    account: "named or own",
    isIdempotent: true,
    audits: "api_key",
    // A repeated request returns the same key even if the key has expired since, so the creation checks the expiry, not the parser.
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
