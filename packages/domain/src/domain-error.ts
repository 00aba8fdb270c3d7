import type { FieldViolation } from "./field-violation.js";
import { quote } from "./quote.js";
import type { Scope } from "./scope.js";

/** The details of every error, by its reason. */
export interface DomainErrorFacts {
  FIELD_INVALID: { readonly violations: readonly FieldViolation[] };
  PAGE_TOKEN_INVALID: Record<never, never>;
  /** `account` is the token or id that the caller sent. */
  ACCOUNT_NOT_FOUND: { readonly account: string };
  ACCOUNT_ALREADY_EXISTS: { readonly accountToken: string; readonly accountId: number };
  ACCOUNT_TOKEN_RESERVED: { readonly accountToken: string };
  ACCOUNT_DISABLED: { readonly account: string };
  PHONE_NUMBER_NOT_FOUND: { readonly phoneNumberId: string };
  PHONE_NUMBER_ALREADY_REGISTERED: { readonly phoneNumber: string; readonly phoneNumberId: string };
  PHONE_NUMBER_NOT_REGISTERED: { readonly phoneNumber: string };
  POOL_NOT_FOUND: { readonly poolId: string };
  POOL_AUTOMANAGED: { readonly poolId: string };
  CALL_TRACKER_NOT_FOUND: { readonly callTrackerId: string };
  CALL_TRACKER_NOT_ACTIVE: { readonly callTrackerId: string };
  CALL_TRACKER_RETIRING: { readonly callTrackerId: string };
  TRACKING_NUMBER_NOT_FOUND: { readonly trackingNumber: string };
  PHONE_NUMBER_IS_TRACKING_NUMBER: { readonly phoneNumber: string };
  /** `id` is that of this service. */
  CALL_NOT_FOUND: { readonly id: string };
  /** `callId` is that of the phone system, `id` that of the existing call. */
  CALL_ALREADY_EXISTS: { readonly callId: string; readonly id: string };
  CALL_ENDED: { readonly id: string };
  PHONE_SYSTEM_NOT_FOUND: { readonly phoneSystemId: string };
  SECRETS_KEY_MISSING: Record<never, never>;
  CLOCK_NOT_VIRTUAL: Record<never, never>;
  API_KEY_NOT_FOUND: { readonly apiKeyId: string };
  /** `ways` lists the authentication methods that the server accepts. */
  UNAUTHENTICATED: { readonly ways?: readonly (keyof typeof AUTHENTICATION_METHODS)[] };
  API_KEY_INVALID: Record<never, never>;
  API_KEY_EXPIRED: { readonly expiredAt: Date };
  API_KEY_REVOKED: { readonly revokedAt: Date };
  ACCESS_TOKEN_INVALID: { readonly problem: string };
  ACCESS_TOKEN_EXPIRED: { readonly expiredAt: Date };
  ISSUER_UNAVAILABLE: Record<never, never>;
  SCOPE_MISSING: { readonly scope: Scope };
  /** `account` is the token of the account that the caller is bound to. */
  CALLER_BOUND_TO_ACCOUNT: { readonly account: string };
  /** `retryAfterS` is the time to wait before a retry, in seconds. */
  OVERLOADED: { readonly retryAfterS: number };
  RATE_LIMIT_EXCEEDED: { readonly retryAfterS: number };
  ETAG_MISMATCH: Record<never, never>;
  IDEMPOTENCY_KEY_REUSED: Record<never, never>;
  DEADLINE_EXCEEDED: Record<never, never>;
  UNAVAILABLE: Record<never, never>;
  OUTCOME_UNKNOWN: Record<never, never>;
  INTERNAL: Record<never, never>;
}

/** The stable identifier of an error, sent to clients as the reason of `google.rpc.ErrorInfo`. */
export type DomainErrorReason = keyof DomainErrorFacts;

/** An error that the service returns to the caller: a reason from a closed set, and its details. */
export class DomainError<R extends DomainErrorReason = DomainErrorReason> extends Error {
  override readonly name = "DomainError";
  readonly reason: R;
  readonly facts: DomainErrorFacts[R];

  constructor(reason: R, facts: DomainErrorFacts[R], options?: ErrorOptions) {
    super(messages[reason](facts), options);
    this.reason = reason;
    this.facts = facts;
  }

  /** Reports whether the error has the given reason, and narrows the type of `facts`. */
  is<S extends DomainErrorReason>(reason: S): this is DomainError<S> {
    return (this.reason as DomainErrorReason) === reason;
  }
}

const AUTHENTICATION_METHODS = {
  bearer: "send an API key or access token in an Authorization: Bearer header",
  certificate: "connect with a client certificate",
};

/** User-facing messages: what is wrong, then what to do. Caller-supplied values are shortened by `quote`. */
const messages: { readonly [R in DomainErrorReason]: (facts: DomainErrorFacts[R]) => string } = {
  FIELD_INVALID: ({ violations }) => violations.map((v) => `${v.field} ${v.description}`).join("; "),
  PAGE_TOKEN_INVALID: () =>
    "page_token is not valid for this list: send the next_page_token of an earlier page of the same list unchanged",
  ACCOUNT_NOT_FOUND: ({ account }) => `account ${quote(account)} not found: create it first`,
  ACCOUNT_ALREADY_EXISTS: ({ accountToken, accountId }) =>
    `account_token ${quote(accountToken)} already has an account: use the account with id ${accountId}`,
  ACCOUNT_TOKEN_RESERVED: ({ accountToken }) =>
    `account_token ${quote(accountToken)} is the id of another account: choose another token`,
  ACCOUNT_DISABLED: ({ account }) =>
    `call tracking is disabled for account ${quote(account)}: enable it by setting is_active to true`,
  PHONE_NUMBER_NOT_FOUND: ({ phoneNumberId }) => `phone number ${quote(phoneNumberId)} not found under this account`,
  PHONE_NUMBER_ALREADY_REGISTERED: ({ phoneNumber, phoneNumberId }) =>
    `phone_number ${quote(phoneNumber)} is already registered under this account: use the phone number with id ${phoneNumberId}`,
  PHONE_NUMBER_NOT_REGISTERED: ({ phoneNumber }) =>
    `original_number ${quote(phoneNumber)} is not registered under this account: register it as a phone number first`,
  POOL_NOT_FOUND: ({ poolId }) => `pool ${quote(poolId)} not found under this account`,
  POOL_AUTOMANAGED: ({ poolId }) =>
    `pool ${quote(poolId)} is automanaged and manages its call trackers itself: use a manual pool to manage them yourself`,
  CALL_TRACKER_NOT_FOUND: ({ callTrackerId }) => `call tracker ${quote(callTrackerId)} not found in this pool`,
  CALL_TRACKER_NOT_ACTIVE: ({ callTrackerId }) =>
    `call tracker ${quote(callTrackerId)} is not active: activate it before flagging it`,
  CALL_TRACKER_RETIRING: ({ callTrackerId }) =>
    `the number of call tracker ${quote(callTrackerId)} is being retired: activate another call tracker`,
  TRACKING_NUMBER_NOT_FOUND: ({ trackingNumber }) => `tracking number ${quote(trackingNumber)} not found`,
  PHONE_NUMBER_IS_TRACKING_NUMBER: ({ phoneNumber }) =>
    `${quote(phoneNumber)} is a tracking number in the inventory, so calls to it would loop: use another number`,
  CALL_NOT_FOUND: ({ id }) => `call ${quote(id)} not found under this account`,
  CALL_ALREADY_EXISTS: ({ callId }) =>
    `call_id ${quote(callId)} is recorded with another tracking_number, caller_number or started_at: use another call_id`,
  CALL_ENDED: ({ id }) => `call ${quote(id)} has ended and keeps its times: leave answered_at and ended_at out`,
  PHONE_SYSTEM_NOT_FOUND: ({ phoneSystemId }) => `phone system ${quote(phoneSystemId)} not found`,
  SECRETS_KEY_MISSING: () =>
    "the server has no key to encrypt credentials with: start it with SECRETS_KEY, a key that openssl rand -base64 32 prints",
  CLOCK_NOT_VIRTUAL: () => "the clock cannot be advanced: start the server with CLOCK=virtual",
  API_KEY_NOT_FOUND: ({ apiKeyId }) => `API key ${quote(apiKeyId)} not found`,
  UNAUTHENTICATED: ({ ways = ["bearer"] }) =>
    `authentication required: ${ways.map((way) => AUTHENTICATION_METHODS[way]).join(", or ")}`,
  API_KEY_INVALID: () => "the API key is not valid: check that it is complete and belongs to this service",
  API_KEY_EXPIRED: ({ expiredAt }) => `the API key expired at ${expiredAt.toISOString()}: use another key`,
  API_KEY_REVOKED: ({ revokedAt }) => `the API key was revoked at ${revokedAt.toISOString()}: use another key`,
  ACCESS_TOKEN_INVALID: ({ problem }) => `the access token is not valid, because ${problem}: get a new token`,
  ACCESS_TOKEN_EXPIRED: ({ expiredAt }) => `the access token expired at ${expiredAt.toISOString()}: get a new token`,
  ISSUER_UNAVAILABLE: () => "the issuer of access tokens is unavailable: retry later",
  SCOPE_MISSING: ({ scope }) => `the caller lacks the scope ${scope}: use a key or token that has it`,
  CALLER_BOUND_TO_ACCOUNT: ({ account }) =>
    `the caller is bound to account ${quote(account)} and cannot call this method: use a key that is not bound to an account`,
  OVERLOADED: ({ retryAfterS }) =>
    `the server is overloaded and did not process the request: retry after ${retryAfterS} s`,
  ETAG_MISMATCH: () =>
    "the resource changed since you read it: read it again and retry with its current etag, with the quotes",
  IDEMPOTENCY_KEY_REUSED: () =>
    "the request_id (Idempotency-Key header) was already used for a different request: send a new one",
  RATE_LIMIT_EXCEEDED: ({ retryAfterS }) => `rate limit exceeded: retry after ${retryAfterS} s`,
  DEADLINE_EXCEEDED: () => "the deadline passed before the response was ready: allow more time or request less",
  UNAVAILABLE: () => "the service cannot reach its database: retry later",
  OUTCOME_UNKNOWN: () =>
    "the connection to the database was lost, so the change may have been made: retry with the same Idempotency-Key (request_id over gRPC), or read the resource first",
  INTERNAL: () => "internal error: the service's log has the cause",
};
