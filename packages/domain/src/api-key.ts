import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { parseAccountReference } from "./account.js";
import { DomainError } from "./domain-error.js";
import { FieldCheck } from "./field-check.js";
import {
  ApiKeyScope,
  type CreateApiKeyRequest,
  type GetApiKeyRequest,
  type ListApiKeysRequest,
  type RevokeApiKeyRequest,
} from "./gen/calltracking/v1/api_key_pb.js";
import { parsePagination } from "./pagination.js";
import { findSecretRequestIdProblem, parseRequestId } from "./request-id.js";
import type { Scope } from "./scope.js";
import { findDescriptionProblem, findLookupKeyProblem } from "./text.js";

/** The latest time that a `google.protobuf.Timestamp` can state. */
const MAX_TIMESTAMP_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const SCOPES = new Map<ApiKeyScope, Scope>([
  [ApiKeyScope.READ, "read"],
  [ApiKeyScope.WRITE, "write"],
  [ApiKeyScope.ADMIN, "admin"],
  [ApiKeyScope.DNI, "dni"],
  [ApiKeyScope.CALLS, "calls"],
]);

export type NewApiKey = ReturnType<typeof parseCreateApiKeyRequest>;

/** Returns the API key to create, without duplicate scopes. Throws DomainError `FIELD_INVALID`. */
export function parseCreateApiKeyRequest(request: CreateApiKeyRequest, now: Date) {
  const check = new FieldCheck();
  if (request.scopes.length === 0) check.report("scopes", "must contain at least one scope");
  const scopes = check.names("scopes", request.scopes, SCOPES, "must be read, write, admin, dni or calls");
  const expiresAt = check.optional("expires_at", request.expiresAt, (time) => findExpiryProblem(time, now));
  return check.done({
    scopes,
    /** The token or id of the account to which the API key is bound; undefined if the API key can access all accounts. */
    account: parseOptionalAccount(check, request),
    description: check.optional("description", request.description, findDescriptionProblem),
    expiresAt: expiresAt && timestampDate(expiresAt),
    requestId: parseRequestId(check, request, findSecretRequestIdProblem),
  });
}

/** Requires that an API key expires after its creation or never. Throws DomainError `FIELD_INVALID`. */
export function requireFutureExpiry(expiresAt: Date | undefined, now: Date): void {
  if (expiresAt === undefined || expiresAt > now) return;
  throw new DomainError("FIELD_INVALID", {
    violations: [{ field: "expires_at", description: "must be in the future" }],
  });
}

/** Returns the id in the request. Accepts an id that is not a UUID, although no API key has a non-UUID id. Throws DomainError `FIELD_INVALID`. */
export function parseApiKeyId(request: GetApiKeyRequest | RevokeApiKeyRequest): { readonly apiKeyId: string } {
  const check = new FieldCheck();
  return check.done({ apiKeyId: check.required("api_key_id", request.apiKeyId, findLookupKeyProblem) });
}

/** The returned `account` is undefined if the request is for the API keys of all accounts. Throws DomainError `FIELD_INVALID`. */
export function parseListApiKeysRequest(request: ListApiKeysRequest) {
  const check = new FieldCheck();
  return check.done({ account: parseOptionalAccount(check, request), page: parsePagination(check, request) });
}

function parseOptionalAccount(
  check: FieldCheck,
  request: { readonly accountId?: string | undefined },
): string | undefined {
  return request.accountId === undefined ? undefined : parseAccountReference(check, request);
}

function findExpiryProblem(time: Timestamp, now: Date): string | undefined {
  const at = timestampDate(time).getTime();
  if (Number.isNaN(at) || at > MAX_TIMESTAMP_MS) return "must be a time before the year 10000";
  return at > now.getTime() ? undefined : "must be in the future";
}
