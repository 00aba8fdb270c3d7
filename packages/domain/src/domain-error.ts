import type { FieldViolation } from "./field-violation.js";
import { quoteValue } from "./quote-value.js";
import type { Scope } from "./scope.js";

const AUTHENTICATION_METHODS = {
  bearer: "send an API key or access token in an Authorization: Bearer header",
  certificate: "connect with a client certificate",
};

const ETAG_MISMATCHES = {
  changed:
    "the resource changed since you read it: read it again and retry with its current etag, including the quotes",
  weak: "a weak etag (W/…) never matches: if a proxy added W/, send the etag without it",
  excluded:
    "if_none_match (If-None-Match header) excludes the current etag of the resource: leave it out to update the resource",
};

/**
 * Functions that build the message of each error from its details, keyed by the reason. A message says first what is wrong and then what to do.
 * `quoteValue` shortens values that come from a request.
 */
const MESSAGES = {
  FIELD_INVALID: ({ violations }: { violations: readonly FieldViolation[] }) =>
    violations.map((v) => `${v.field} ${v.description}`).join("; "),
  PAGE_TOKEN_INVALID: () =>
    "page_token is not valid for this list: send the next_page_token of an earlier page unchanged, with the filters of that page",
  /** `account` is the token or id that the request contains. */
  ACCOUNT_NOT_FOUND: ({ account }: { account: string }) =>
    `account ${quoteValue(account)} not found: check the token or id, or create the account first`,
  EVENT_CURSOR_EXPIRED: () =>
    "events after the cursor have expired: list the resources again, and continue from the cursor of that list",
  EVENT_CURSOR_UNKNOWN: () =>
    "the cursor does not belong to this event log, for example because the database was restored: list the resources again, and continue from the cursor of that list",
  ACCOUNT_ALREADY_EXISTS: ({ accountToken, accountId }: { accountToken: string; accountId: number }) =>
    `account_token ${quoteValue(accountToken)} already belongs to an account: use the account with id ${accountId}`,
  ACCOUNT_TOKEN_RESERVED: ({ accountToken }: { accountToken: string }) =>
    `account_token ${quoteValue(accountToken)} is the id of another account: choose another token`,
  ACCOUNT_DISABLED: ({ account }: { account: string }) =>
    `call tracking is disabled for account ${quoteValue(account)}: enable it by setting is_active to true`,
  PHONE_NUMBER_NOT_FOUND: ({ phoneNumberId }: { phoneNumberId: string }) =>
    `phone number ${quoteValue(phoneNumberId)} not found under this account: check the id and the account`,
  PHONE_NUMBER_ALREADY_REGISTERED: ({ phoneNumber, phoneNumberId }: { phoneNumber: string; phoneNumberId: string }) =>
    `phone_number ${quoteValue(phoneNumber)} is already registered under this account: use the phone number with id ${phoneNumberId}`,
  PHONE_NUMBER_NOT_REGISTERED: ({ phoneNumber }: { phoneNumber: string }) =>
    `original_number ${quoteValue(phoneNumber)} is not registered under this account: register it as a phone number first`,
  POOL_NOT_FOUND: ({ poolId }: { poolId: string }) =>
    `pool ${quoteValue(poolId)} not found under this account: check the id and the account`,
  POOL_AUTOMANAGED: ({ poolId }: { poolId: string }) =>
    `pool ${quoteValue(poolId)} is automanaged and manages its call trackers itself: use a manual pool to manage them yourself`,
  CALL_TRACKER_NOT_FOUND: ({ callTrackerId }: { callTrackerId: string }) =>
    `call tracker ${quoteValue(callTrackerId)} not found in this pool: check the id and the pool`,
  CALL_TRACKER_NOT_ACTIVE: ({ callTrackerId }: { callTrackerId: string }) =>
    `call tracker ${quoteValue(callTrackerId)} is not active: activate it before flagging it`,
  CALL_TRACKER_RETIRING: ({ callTrackerId }: { callTrackerId: string }) =>
    `the number of call tracker ${quoteValue(callTrackerId)} is being retired: activate another call tracker`,
  TRACKING_NUMBER_NOT_FOUND: ({ trackingNumber }: { trackingNumber: string }) =>
    `tracking number ${quoteValue(trackingNumber)} not found: check the number, or add it to the inventory first`,
  PHONE_NUMBER_IS_TRACKING_NUMBER: ({ phoneNumber }: { phoneNumber: string }) =>
    `${quoteValue(phoneNumber)} is a tracking number in the inventory, so calls to it would loop: use another number`,
  /** `id` is the id that this service assigned to the call. */
  CALL_NOT_FOUND: ({ id }: { id: string }) =>
    `call ${quoteValue(id)} not found under this account: check the id and the account; old calls expire`,
  /** `callId` is the id that the phone system assigned; `id` is the one that this service assigned to the existing call. */
  CALL_ALREADY_EXISTS: ({ callId }: { callId: string; id: string }) =>
    `call_id ${quoteValue(callId)} belongs to a call with a different tracking_number, caller_number or started_at (or source, if the call was imported): use another call_id`,
  CALL_ENDED: ({ id }: { id: string }) =>
    `call ${quoteValue(id)} has ended, so its times cannot be changed: leave answered_at and ended_at unset`,
  PHONE_SYSTEM_NOT_FOUND: ({ phoneSystemId }: { phoneSystemId: string }) =>
    `phone system ${quoteValue(phoneSystemId)} not found: check the id`,
  WEBHOOK_ENDPOINT_NOT_FOUND: ({ webhookEndpointId }: { webhookEndpointId: string }) =>
    `webhook endpoint ${quoteValue(webhookEndpointId)} not found: check the id, and the account if the webhook endpoint belongs to one`,
  WEBHOOK_ENDPOINT_INACTIVE: ({ webhookEndpointId }: { webhookEndpointId: string }) =>
    `webhook endpoint ${quoteValue(webhookEndpointId)} is inactive: resume it first`,
  /** `limit` is the maximum number of webhook endpoints. */
  WEBHOOK_ENDPOINT_LIMIT_REACHED: ({ limit }: { limit: number }) =>
    `the limit of ${limit} webhook endpoints is reached: delete one first`,
  WEBHOOK_DELIVERY_NOT_FOUND: ({ webhookDeliveryId }: { webhookDeliveryId: string }) =>
    `delivery ${quoteValue(webhookDeliveryId)} not found: list the deliveries of the webhook endpoint to get their ids; deliveries expire after 7 days`,
  SECRETS_KEY_MISSING: () =>
    "the server has no key to encrypt credentials with: start the server with SECRETS_KEY set to the output of openssl rand -base64 32",
  CLOCK_NOT_VIRTUAL: () => "the clock cannot be advanced: start the server with CLOCK=virtual",
  API_KEY_NOT_FOUND: ({ apiKeyId }: { apiKeyId: string }) => `API key ${quoteValue(apiKeyId)} not found: check the id`,
  /** `ways` contains the authentication methods that the server accepts. */
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
  /** `account` is the token of the account to which the API client is bound. */
  CALLER_BOUND_TO_ACCOUNT: ({ account }: { account: string }) =>
    `the caller is bound to account ${quoteValue(account)} and cannot call this method: use a key that is not bound to an account`,
  /** `retryAfterS` is the time to wait before a retry, in seconds. */
  OVERLOADED: ({ retryAfterS }: { retryAfterS: number }) =>
    `the server is overloaded and did not process the request: retry after ${retryAfterS} s`,
  ETAG_MISMATCH: ({ cause }: { cause: keyof typeof ETAG_MISMATCHES }) => ETAG_MISMATCHES[cause],
  IDEMPOTENCY_KEY_REUSED: () =>
    "the request_id (Idempotency-Key header) was already used for a different request: send a new request_id",
  RATE_LIMIT_EXCEEDED: ({ retryAfterS }: { retryAfterS: number }) =>
    `rate limit exceeded: retry after ${retryAfterS} s`,
  SERVER_STOPPING: () => "the server is stopping: watch again from the last cursor that you received",
  DEADLINE_EXCEEDED: () => "the deadline passed before the response was ready: allow more time or request less data",
  /** `isFull` is true if the database is reachable but has no disk space or memory left. */
  UNAVAILABLE: ({ isFull = false }: { isFull?: boolean }) =>
    isFull
      ? "the database has no disk space or memory left: retry after its operator has freed some"
      : "the service cannot reach its database: retry later",
  OUTCOME_UNKNOWN: () =>
    "the connection to the database was lost, so it is unknown whether the change was made: retry with the same Idempotency-Key (request_id over gRPC), or read the resource to find out",
  INTERNAL: () => "internal error: see the server's log",
} satisfies Readonly<Record<string, (facts: never) => string>>;

/** The stable identifier of an error, sent to clients as the reason of `google.rpc.ErrorInfo`. */
export type DomainErrorReason = keyof typeof MESSAGES;

/** The details of each error, keyed by the reason of the error. */
export type DomainErrorFacts = {
  readonly [R in DomainErrorReason]: Parameters<(typeof MESSAGES)[R]> extends [infer F]
    ? Readonly<F>
    : Record<never, never>;
};

type MessageOf<R extends DomainErrorReason> = (facts: DomainErrorFacts[R]) => string;

/** An error that the service returns to the client: a reason from a closed set, and its details. */
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
