import { parseApiKeyId, parseCreateApiKeyRequest, parseListApiKeysRequest } from "@calltrack/domain";
import { ApiKeyService } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import { declareMethodRows } from "../methods/method-row.js";
import { API_KEY_PAGED_LIST } from "./api-key-repository.js";

/** The earliest time that a Date can represent. Compared with this time, every expiry is in the future. */
const EARLIEST_DATE = new Date(-8.64e15);

/** A principal that is bound to an account can access only the API keys of that account. */
export const API_KEY_METHODS = declareMethodRows(ApiKeyService, {
  createApiKey: {
    access: { scope: "admin", reach: "account" },
    account: "named or own",
    isIdempotent: true,
    audits: "api_key",
    // A repeated request returns the same API key even after the key's expiry. So `createApiKey`, which detects repeated requests, checks the expiry
    // instead of the parser.
    parse: (request) => parseCreateApiKeyRequest(request, request.requestId ? EARLIEST_DATE : new Date()),
  },
  getApiKey: { access: { scope: "admin", reach: "own" }, parse: parseApiKeyId },
  listApiKeys: {
    access: { scope: "admin", reach: "account" },
    account: "named or own",
    list: API_KEY_PAGED_LIST,
    parse: parseListApiKeysRequest,
  },
  revokeApiKey: { access: { scope: "admin", reach: "own" }, audits: "api_key", parse: parseApiKeyId },
});
