import type { FieldViolation } from "./field-violation.js";
import { quote } from "./quote.js";
import type { Scope } from "./scope.js";

const AUTHENTICATION_METHODS = {
  bearer: "send an API key or access token in an Authorization: Bearer header",
  certificate: "connect with a client certificate",
};

const ETAG_MISMATCHES = {
  changed: "the resource changed since you read it: read it again and retry with its current etag, with the quotes",
  weak: "a weak etag (W/…) matches no update: a proxy made it weak, so send it without W/",
  excluded:
    "if_none_match (If-None-Match header) excludes the current etag of the resource: leave it out to update the resource",
};

/**
 * The user-facing message of every error, from its details: what is wrong, then what to do. Caller-supplied values are shortened by `quote`.
 */
const MESSAGES = {
  FIELD_INVALID: ({ violations }: { violations: readonly FieldViolation[] }) =>
    violations.map((v) => `${v.field} ${v.description}`).join("; "),
  PAGE_TOKEN_INVALID: () =>
    "page_token is not valid for this list: send the next_page_token of an earlier page unchanged, with the filters of that page",
  /** `account` is the token or id that the caller sent. */
  ACCOUNT_NOT_FOUND: ({ account }: { account: string }) =>
    `account ${quote(account)} not found: check the token or id, or create the account first`,
  EVENT_CURSOR_EXPIRED: () =>
    "events after the cursor have expired: list the resources again, and follow from the cursor of that list",
  EVENT_CURSOR_UNKNOWN: () =>
    "the cursor does not belong to this event log, as after a restore: list the resources again, and follow from the cursor of that list",
  ACCOUNT_ALREADY_EXISTS: ({ accountToken, accountId }: { accountToken: string; accountId: number }) =>
    `account_token ${quote(accountToken)} already has an account: use the account with id ${accountId}`,
  ACCOUNT_TOKEN_RESERVED: ({ accountToken }: { accountToken: string }) =>
    `account_token ${quote(accountToken)} is the id of another account: choose another token`,
  ACCOUNT_DISABLED: ({ account }: { account: string }) =>
    `call tracking is disabled for account ${quote(account)}: enable it by setting is_active to true`,
  PHONE_NUMBER_NOT_FOUND: ({ phoneNumberId }: { phoneNumberId: string }) =>
    `phone number ${quote(phoneNumberId)} not found under this account: check the id and the account`,
  PHONE_NUMBER_ALREADY_REGISTERED: ({ phoneNumber, phoneNumberId }: { phoneNumber: string; phoneNumberId: string }) =>
    `phone_number ${quote(phoneNumber)} is already registered under this account: use the phone number with id ${phoneNumberId}`,
  PHONE_NUMBER_NOT_REGISTERED: ({ phoneNumber }: { phoneNumber: string }) =>
    `original_number ${quote(phoneNumber)} is not registered under this account: register it as a phone number first`,
  POOL_NOT_FOUND: ({ poolId }: { poolId: string }) =>
    `pool ${quote(poolId)} not found under this account: check the id and the account`,
  POOL_AUTOMANAGED: ({ poolId }: { poolId: string }) =>
    `pool ${quote(poolId)} is automanaged and manages its call trackers itself: use a manual pool to manage them yourself`,
  CALL_TRACKER_NOT_FOUND: ({ callTrackerId }: { callTrackerId: string }) =>
    `call tracker ${quote(callTrackerId)} not found in this pool: check the id and the pool`,
  CALL_TRACKER_NOT_ACTIVE: ({ callTrackerId }: { callTrackerId: string }) =>
    `call tracker ${quote(callTrackerId)} is not active: activate it before flagging it`,
  CALL_TRACKER_RETIRING: ({ callTrackerId }: { callTrackerId: string }) =>
    `the number of call tracker ${quote(callTrackerId)} is being retired: activate another call tracker`,
  TRACKING_NUMBER_NOT_FOUND: ({ trackingNumber }: { trackingNumber: string }) =>
    `tracking number ${quote(trackingNumber)} not found: check the number, or add it to the inventory first`,
  PHONE_NUMBER_IS_TRACKING_NUMBER: ({ phoneNumber }: { phoneNumber: string }) =>
    `${quote(phoneNumber)} is a tracking number in the inventory, so calls to it would loop: use another number`,
  /** `id` is that of this service. */
  CALL_NOT_FOUND: ({ id }: { id: string }) =>
    `call ${quote(id)} not found under this account: check the id and the account; old calls expire`,
  /** `callId` is that of the phone system, `id` that of the existing call. */
  CALL_ALREADY_EXISTS: ({ callId }: { callId: string; id: string }) =>
    `call_id ${quote(callId)} is recorded with another tracking_number, caller_number, started_at or, if it was imported, source: use another call_id`,
  CALL_ENDED: ({ id }: { id: string }) =>
    `call ${quote(id)} has ended and keeps its times: leave answered_at and ended_at out`,
  PHONE_SYSTEM_NOT_FOUND: ({ phoneSystemId }: { phoneSystemId: string }) =>
    `phone system ${quote(phoneSystemId)} not found: check the id`,
  WEBHOOK_ENDPOINT_NOT_FOUND: ({ webhookEndpointId }: { webhookEndpointId: string }) =>
    `webhook endpoint ${quote(webhookEndpointId)} not found here: list the webhook endpoints of the account, or of the operator without one`,
  WEBHOOK_ENDPOINT_INACTIVE: ({ webhookEndpointId }: { webhookEndpointId: string }) =>
    `webhook endpoint ${quote(webhookEndpointId)} is inactive: resume it first`,
  /** `limit` is the maximum number of webhook endpoints. */
  WEBHOOK_ENDPOINT_LIMIT_REACHED: ({ limit }: { limit: number }) =>
    `there are ${limit} webhook endpoints already: delete one first`,
  WEBHOOK_DELIVERY_NOT_FOUND: ({ webhookDeliveryId }: { webhookDeliveryId: string }) =>
    `delivery ${quote(webhookDeliveryId)} not found: list the deliveries of the webhook endpoint; they are kept for 7 days`,
  SECRETS_KEY_MISSING: () =>
    "the server has no key to encrypt credentials with: start it with SECRETS_KEY, a key that openssl rand -base64 32 prints",
  CLOCK_NOT_VIRTUAL: () => "the clock cannot be advanced: start the server with CLOCK=virtual",
  API_KEY_NOT_FOUND: ({ apiKeyId }: { apiKeyId: string }) => `API key ${quote(apiKeyId)} not found: check the id`,
  /** `ways` lists the authentication methods that the server accepts. */
  UNAUTHENTICATED: ({ ways = ["bearer"] }: { ways?: readonly (keyof typeof AUTHENTICATION_METHODS)[] }) =>
    `authentication required: ${ways.map((way) => AUTHENTICATION_METHODS[way]).join(", or ")}`,
  API_KEY_INVALID: () => "the API key is not valid: check that it is complete and belongs to this service",
  API_KEY_EXPIRED: ({ expiredAt }: { expiredAt: Date }) =>
    `the API key expired at ${expiredAt.toISOString()}: use another key`,
  API_KEY_REVOKED: ({ revokedAt }: { revokedAt: Date }) =>
    `the API key was revoked at ${revokedAt.toISOString()}: use another key`,
  ACCESS_TOKEN_INVALID: ({ problem }: { problem: string }) =>
    `the access token is not valid, because ${problem}: get a new token`,
  ACCESS_TOKEN_EXPIRED: ({ expiredAt }: { expiredAt: Date }) =>
    `the access token expired at ${expiredAt.toISOString()}: get a new token`,
  ISSUER_UNAVAILABLE: () => "the issuer of access tokens is unavailable: retry later",
  SCOPE_MISSING: ({ scope }: { scope: Scope }) => `the caller lacks the scope ${scope}: use a key or token that has it`,
  /** `account` is the token of the account that the caller is bound to. */
  CALLER_BOUND_TO_ACCOUNT: ({ account }: { account: string }) =>
    `the caller is bound to account ${quote(account)} and cannot call this method: use a key that is not bound to an account`,
  /** `retryAfterS` is the time to wait before a retry, in seconds. */
  OVERLOADED: ({ retryAfterS }: { retryAfterS: number }) =>
    `the server is overloaded and did not process the request: retry after ${retryAfterS} s`,
  ETAG_MISMATCH: ({ cause }: { cause: keyof typeof ETAG_MISMATCHES }) => ETAG_MISMATCHES[cause],
  IDEMPOTENCY_KEY_REUSED: () =>
    "the request_id (Idempotency-Key header) was already used for a different request: send a new one",
  RATE_LIMIT_EXCEEDED: ({ retryAfterS }: { retryAfterS: number }) =>
    `rate limit exceeded: retry after ${retryAfterS} s`,
  SERVER_STOPPING: () => "the server is stopping: watch again from the last cursor",
  DEADLINE_EXCEEDED: () => "the deadline passed before the response was ready: allow more time or request less",
  /** `isFull` says that the database is reachable and has no disk space or memory left. */
  UNAVAILABLE: ({ isFull = false }: { isFull?: boolean }) =>
    isFull
      ? "the database has no disk space or memory left: retry once its operator has freed some"
      : "the service cannot reach its database: retry later",
  OUTCOME_UNKNOWN: () =>
    "the connection to the database was lost, so the change may have been made: retry with the same Idempotency-Key (request_id over gRPC), or read the resource first",
  INTERNAL: () => "internal error: see the server's log",
} satisfies Readonly<Record<string, (facts: never) => string>>;

/** The stable identifier of an error, sent to clients as the reason of `google.rpc.ErrorInfo`. */
export type DomainErrorReason = keyof typeof MESSAGES;

/** The details of every error, by its reason. */
export type DomainErrorFacts = {
  readonly [R in DomainErrorReason]: Parameters<(typeof MESSAGES)[R]> extends [infer F]
    ? Readonly<F>
    : Record<never, never>;
};

type MessageOf<R extends DomainErrorReason> = (facts: DomainErrorFacts[R]) => string;

/** An error that the service returns to the caller: a reason from a closed set, and its details. */
export class DomainError<R extends DomainErrorReason = DomainErrorReason> extends Error {
  override readonly name = "DomainError";
  readonly reason: R;
  readonly facts: DomainErrorFacts[R];

  constructor(reason: R, facts: DomainErrorFacts[R], options?: ErrorOptions) {
    super((MESSAGES[reason] as MessageOf<R>)(facts), options);
    this.reason = reason;
    this.facts = facts;
  }

  /** Reports whether the error has the given reason, and narrows the type of `facts`. */
  is<S extends DomainErrorReason>(reason: S): this is DomainError<S> {
    return (this.reason as DomainErrorReason) === reason;
  }
}
