import { describe, expect, test } from "vitest";
import { DomainError, type DomainErrorFacts, type DomainErrorReason } from "./domain-error.js";

const messages: { readonly [R in DomainErrorReason]: readonly [facts: DomainErrorFacts[R], message: string] } = {
  FIELD_INVALID: [
    {
      violations: [
        { field: "size", description: "must be between 1 and 10000" },
        { field: "area_code", description: "is required" },
      ],
    },
    "size must be between 1 and 10000; area_code is required",
  ],
  PAGE_TOKEN_INVALID: [
    {},
    "page_token is not valid for this list: send the next_page_token of an earlier page unchanged, with the filters of that page",
  ],
  ACCOUNT_NOT_FOUND: [
    { account: "acct_1" },
    'account "acct_1" not found: check the token or id, or create the account first',
  ],
  EVENT_CURSOR_EXPIRED: [
    {},
    "events after the cursor have expired: list the resources again, and continue from the cursor of that list",
  ],
  EVENT_CURSOR_UNKNOWN: [
    {},
    "the cursor does not belong to this event log, for example because the database was restored: list the resources again, and continue from the cursor of that list",
  ],
  ACCOUNT_ALREADY_EXISTS: [
    { accountToken: "acct_1", accountId: 7 },
    'account_token "acct_1" already belongs to an account: use the account with id 7',
  ],
  ACCOUNT_TOKEN_RESERVED: [
    { accountToken: "7" },
    'account_token "7" is the id of another account: choose another token',
  ],
  ACCOUNT_DISABLED: [
    { account: "acct_1" },
    'call tracking is disabled for account "acct_1": enable it by setting is_active to true',
  ],
  PHONE_NUMBER_NOT_FOUND: [
    { phoneNumberId: "x" },
    'phone number "x" not found under this account: check the id and the account',
  ],
  PHONE_NUMBER_ALREADY_REGISTERED: [
    { phoneNumber: "+12223334444", phoneNumberId: "019aa2b4-7c3d-7e5f-8a9b-0c1d2e3f4a5b" },
    'phone_number "+12223334444" is already registered under this account: ' +
      "use the phone number with id 019aa2b4-7c3d-7e5f-8a9b-0c1d2e3f4a5b",
  ],
  PHONE_NUMBER_NOT_REGISTERED: [
    { phoneNumber: "+12223334444" },
    'original_number "+12223334444" is not registered under this account: register it as a phone number first',
  ],
  POOL_NOT_FOUND: [{ poolId: "x" }, 'pool "x" not found under this account: check the id and the account'],
  POOL_AUTOMANAGED: [
    { poolId: "p1" },
    'pool "p1" is automanaged and manages its call trackers itself: use a manual pool to manage them yourself',
  ],
  CALL_TRACKER_NOT_FOUND: [
    { callTrackerId: "t1" },
    'call tracker "t1" not found in this pool: check the id and the pool',
  ],
  CALL_TRACKER_NOT_ACTIVE: [{ callTrackerId: "t1" }, 'call tracker "t1" is not active: activate it before flagging it'],
  CALL_TRACKER_RETIRING: [
    { callTrackerId: "t1" },
    'the number of call tracker "t1" is being retired: activate another call tracker',
  ],
  TRACKING_NUMBER_NOT_FOUND: [
    { trackingNumber: "+12225550142" },
    'tracking number "+12225550142" not found: check the number, or add it to the inventory first',
  ],
  PHONE_NUMBER_IS_TRACKING_NUMBER: [
    { phoneNumber: "+12225550142" },
    '"+12225550142" is a tracking number in the inventory, so calls to it would loop: use another number',
  ],
  CALL_NOT_FOUND: [
    { id: "c1" },
    'call "c1" not found under this account: check the id and the account; old calls expire',
  ],
  CALL_ALREADY_EXISTS: [
    { callId: "42", id: "c1" },
    'call_id "42" belongs to a call with a different tracking_number, caller_number or started_at (or source, if the call was imported): use another call_id',
  ],
  CALL_ENDED: [
    { id: "c1" },
    'call "c1" has ended, so its times cannot be changed: leave answered_at and ended_at unset',
  ],
  PHONE_SYSTEM_NOT_FOUND: [{ phoneSystemId: "7" }, 'phone system "7" not found: check the id'],
  SECRETS_KEY_MISSING: [
    {},
    "the server has no key to encrypt credentials with: start the server with SECRETS_KEY set to the output of openssl rand -base64 32",
  ],
  CLOCK_NOT_VIRTUAL: [{}, "the clock cannot be advanced: start the server with CLOCK=virtual"],
  WEBHOOK_ENDPOINT_NOT_FOUND: [
    { webhookEndpointId: "w1" },
    'webhook endpoint "w1" not found: check the id, and the account if the webhook endpoint belongs to one',
  ],
  WEBHOOK_ENDPOINT_INACTIVE: [{ webhookEndpointId: "w1" }, 'webhook endpoint "w1" is inactive: resume it first'],
  WEBHOOK_ENDPOINT_LIMIT_REACHED: [{ limit: 20 }, "the limit of 20 webhook endpoints is reached: delete one first"],
  WEBHOOK_DELIVERY_NOT_FOUND: [
    { webhookDeliveryId: "4711" },
    'delivery "4711" not found: list the deliveries of the webhook endpoint to get their ids; deliveries expire after 7 days',
  ],
  API_KEY_NOT_FOUND: [{ apiKeyId: "k1" }, 'API key "k1" not found: check the id'],
  UNAUTHENTICATED: [{}, "authentication required: send an API key or access token in an Authorization: Bearer header"],
  API_KEY_INVALID: [{}, "the API key is not valid: check that it is complete and belongs to this service"],
  API_KEY_EXPIRED: [{ expiredAt: new Date(0) }, "the API key expired at 1970-01-01T00:00:00.000Z: use another key"],
  API_KEY_REVOKED: [{ revokedAt: new Date(0) }, "the API key was revoked at 1970-01-01T00:00:00.000Z: use another key"],
  ACCESS_TOKEN_INVALID: [
    { problem: "its aud claim is missing or has a wrong value" },
    "the access token is not valid, because its aud claim is missing or has a wrong value: get a new token",
  ],
  ACCESS_TOKEN_EXPIRED: [
    { expiredAt: new Date(0) },
    "the access token expired at 1970-01-01T00:00:00.000Z: get a new token",
  ],
  ISSUER_UNAVAILABLE: [{}, "the issuer of access tokens is unavailable: retry later"],
  SCOPE_MISSING: [{ scope: "write" }, "the caller lacks the scope write: use a key or token that has it"],
  CALLER_BOUND_TO_ACCOUNT: [
    { account: "acme" },
    'the caller is bound to account "acme" and cannot call this method: use a key that is not bound to an account',
  ],
  ETAG_MISMATCH: [
    { cause: "changed" },
    "the resource changed since you read it: read it again and retry with its current etag, including the quotes",
  ],
  IDEMPOTENCY_KEY_REUSED: [
    {},
    "the request_id (Idempotency-Key header) was already used for a different request: send a new request_id",
  ],
  SERVER_STOPPING: [{}, "the server is stopping: watch again from the last cursor that you received"],
  DEADLINE_EXCEEDED: [{}, "the deadline passed before the response was ready: allow more time or request less data"],
  RATE_LIMIT_EXCEEDED: [{ retryAfterS: 7 }, "rate limit exceeded: retry after 7 s"],
  OVERLOADED: [{ retryAfterS: 1 }, "the server is overloaded and did not process the request: retry after 1 s"],
  UNAVAILABLE: [{}, "the service cannot reach its database: retry later"],
  OUTCOME_UNKNOWN: [
    {},
    "the connection to the database was lost, so it is unknown whether the change was made: retry with the same Idempotency-Key (request_id over gRPC), or read the resource to find out",
  ],
  INTERNAL: [{}, "internal error: see the server's log"],
};

const reasons = Object.keys(messages) as DomainErrorReason[];

describe("DomainError", () => {
  test.each(reasons)("%s has its message, reason and facts", (reason) => {
    const [facts, message] = messages[reason];
    const error = new DomainError(reason, facts);
    expect(error).toMatchObject({ name: "DomainError", message, reason, facts });
    expect(error).toBeInstanceOf(Error);
  });

  test.each(reasons)("is() matches only the reason %s", (reason) => {
    const error: DomainError = new DomainError(reason, messages[reason][0]);
    expect(reasons.filter((each) => error.is(each))).toEqual([reason]);
  });

  test("keeps its cause out of the message", () => {
    const cause = new Error("relation pools does not exist");
    const error = new DomainError("INTERNAL", {}, { cause });
    expect(error.cause).toBe(cause);
    expect(error.message).not.toContain("pools");
  });

  test.each<[reason: DomainErrorReason, message: string]>([
    ["ACCOUNT_NOT_FOUND", new DomainError("ACCOUNT_NOT_FOUND", { account: hostile() }).message],
    ["ACCOUNT_DISABLED", new DomainError("ACCOUNT_DISABLED", { account: hostile() }).message],
    ["PHONE_NUMBER_NOT_FOUND", new DomainError("PHONE_NUMBER_NOT_FOUND", { phoneNumberId: hostile() }).message],
    ["POOL_NOT_FOUND", new DomainError("POOL_NOT_FOUND", { poolId: hostile() }).message],
  ])("%s shortens and escapes caller-supplied values", (_, message) => {
    expect(message.length).toBeLessThan(300);
    expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

/** A value that would flood a log and control a terminal. */
function hostile(): string {
  return `\x1b[2J\u009b2J\u202e${"x".repeat(100_000)}`;
}
