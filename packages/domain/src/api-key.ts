import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { parseAccountReference } from "./account.js";
import type { Scope } from "./caller.js";
import { FieldCheck } from "./field-check.js";
import {
  ApiKeyScope,
  type CreateApiKeyRequest,
  type GetApiKeyRequest,
  type ListApiKeysRequest,
  type RevokeApiKeyRequest,
} from "./gen/calltracking/v1/api_key_pb.js";
import { type PageRequest, parsePage } from "./page.js";
import { parseRequestId, secretRequestIdProblem } from "./request-id.js";
import { descriptionProblem, referenceProblem } from "./text.js";

/** The last that a `google.protobuf.Timestamp` may be. */
const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const SCOPES = new Map<ApiKeyScope, Scope>([
  [ApiKeyScope.READ, "read"],
  [ApiKeyScope.WRITE, "write"],
  [ApiKeyScope.ADMIN, "admin"],
  [ApiKeyScope.DNI, "dni"],
  [ApiKeyScope.CALLS, "calls"],
]);

/** An API key to be made. */
export interface NewApiKey {
  /** One or more, each once. */
  readonly scopes: readonly Scope[];
  /** The token or the id of the account that it is to be bound to. */
  readonly account: string | undefined;
  readonly description: string | undefined;
  readonly expiresAt: Date | undefined;
  readonly requestId: string | undefined;
}

/**
 * The key to make. A scope that is given twice counts once.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseCreateApiKey(request: CreateApiKeyRequest, now: Date): NewApiKey {
  const check = new FieldCheck();
  if (request.scopes.length === 0) check.report("scopes", "must have at least one scope");
  const scopes = request.scopes.map((scope, index) => {
    const name = SCOPES.get(scope);
    if (name === undefined) check.report(`scopes[${index}]`, "must be read, write, admin, dni or calls");
    return name as Scope;
  });
  const expiresAt = check.optional("expires_at", request.expiresAt, (time) => expiryProblem(time, now));
  return check.done({
    scopes: [...new Set(scopes)],
    account: parseOptionalAccount(check, request),
    description: check.optional("description", request.description, descriptionProblem),
    expiresAt: expiresAt && timestampDate(expiresAt),
    requestId: parseRequestId(check, request, secretRequestIdProblem),
  });
}

/**
 * The id of the key to read or to revoke. One that is no UUID is one that no key has.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseApiKeyName(request: GetApiKeyRequest | RevokeApiKeyRequest): { readonly apiKeyId: string } {
  const check = new FieldCheck();
  return check.done({ apiKeyId: check.required("api_key_id", request.apiKeyId, referenceProblem) });
}

/**
 * The part of the list of keys to read, and the account whose keys are asked for.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseListApiKeys(request: ListApiKeysRequest): {
  readonly account: string | undefined;
  readonly page: PageRequest;
} {
  const check = new FieldCheck();
  return check.done({ account: parseOptionalAccount(check, request), page: parsePage(check, request) });
}

function parseOptionalAccount(
  check: FieldCheck,
  request: { readonly accountId?: string | undefined },
): string | undefined {
  return request.accountId === undefined ? undefined : parseAccountReference(check, request);
}

function expiryProblem(time: Timestamp, now: Date): string | undefined {
  const at = timestampDate(time).getTime();
  if (Number.isNaN(at) || at > LAST_MOMENT) return "must be a time up to the year 9999";
  return at > now.getTime() ? undefined : "must be in the future";
}
