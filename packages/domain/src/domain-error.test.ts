import { describe, expect, test } from "vitest";
import { DomainError, type DomainErrorFacts, type DomainErrorReason } from "./domain-error.js";

/** The facts and the expected message of every reason. */
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
    "page_token is not valid for this list: pass next_page_token of an earlier page of the same list, unchanged",
  ],
  ACCOUNT_NOT_FOUND: [{ account: "acct_1" }, 'account "acct_1" not found: create it before using it'],
  ACCOUNT_ALREADY_EXISTS: [
    { accountToken: "acct_1", accountId: 7 },
    'account_token "acct_1" already has an account: use the one with id 7',
  ],
  ACCOUNT_TOKEN_RESERVED: [{ accountToken: "7" }, 'account_token "7" is the id of another account: use another token'],
  ACCOUNT_DISABLED: [
    { account: "acct_1" },
    'call tracking is disabled for account "acct_1": set is_active to true first',
  ],
  PHONE_NUMBER_NOT_FOUND: [{ phoneNumberId: "x" }, 'phone number "x" not found under this account'],
  PHONE_NUMBER_ALREADY_REGISTERED: [
    { phoneNumber: "+12223334444", phoneNumberId: "019aa2b4-7c3d-7e5f-8a9b-0c1d2e3f4a5b" },
    'phone_number "+12223334444" is already registered under this account: ' +
      "use the one with id 019aa2b4-7c3d-7e5f-8a9b-0c1d2e3f4a5b",
  ],
  PHONE_NUMBER_NOT_REGISTERED: [
    { phoneNumber: "+12223334444" },
    'original_number "+12223334444" is not registered under this account: register it as a phone number first',
  ],
  POOL_NOT_FOUND: [{ poolId: "x" }, 'pool "x" not found under this account'],
  POOL_AUTOMANAGED: [
    { poolId: "p1" },
    'pool "p1" is automanaged: its call trackers follow the visits and cannot be changed by hand',
  ],
  CALL_TRACKER_NOT_FOUND: [{ callTrackerId: "t1" }, 'call tracker "t1" not found in this pool'],
  CALL_TRACKER_NOT_ACTIVE: [
    { callTrackerId: "t1" },
    'call tracker "t1" is available: only an active one can be flagged',
  ],
  CALL_TRACKER_RETIRING: [
    { callTrackerId: "t1" },
    'the number of call tracker "t1" is being retired: activate another call tracker',
  ],
  TRACKING_NUMBER_NOT_FOUND: [{ trackingNumber: "+12225550142" }, 'tracking number "+12225550142" not found'],
  PHONE_NUMBER_IS_TRACKING_NUMBER: [
    { phoneNumber: "+12225550142" },
    '"+12225550142" is a tracking number of the inventory, so calls to it would loop: use another number',
  ],
  CLOCK_NOT_VIRTUAL: [{}, "the clock cannot be moved: start the server with CLOCK=virtual"],
  API_KEY_NOT_FOUND: [{ apiKeyId: "k1" }, 'API key "k1" not found'],
  UNAUTHENTICATED: [
    {},
    "authentication required: send an API key or access token as a Bearer token in the Authorization header",
  ],
  API_KEY_INVALID: [{}, "the API key is not valid: check that it is complete and belongs to this service"],
  API_KEY_EXPIRED: [{ expiredAt: new Date(0) }, "the API key expired at 1970-01-01T00:00:00.000Z: use another"],
  API_KEY_REVOKED: [{ revokedAt: new Date(0) }, "the API key was revoked at 1970-01-01T00:00:00.000Z: use another"],
  ACCESS_TOKEN_INVALID: [
    { problem: "its claim aud is not as it must be" },
    "the access token is not valid (its claim aud is not as it must be): get another",
  ],
  ACCESS_TOKEN_EXPIRED: [
    { expiredAt: new Date(0) },
    "the access token expired at 1970-01-01T00:00:00.000Z: get another",
  ],
  ISSUER_UNAVAILABLE: [{}, "the access token issuer is unavailable: try again later"],
  SCOPE_MISSING: [{ scope: "write" }, "the caller lacks the scope write: use a key that has it"],
  CALLER_BOUND_TO_ACCOUNT: [
    { account: "acme" },
    'the caller is bound to account "acme" and cannot call this method: use a key that is not bound to an account',
  ],
  ETAG_MISMATCH: [
    {},
    "the resource changed since you read it: read it again and retry with its current etag, including the quotes",
  ],
  IDEMPOTENCY_KEY_REUSED: [
    {},
    "this request_id (header Idempotency-Key) was already used for a different request: use a new one",
  ],
  DEADLINE_EXCEEDED: [{}, "the deadline passed before the request completed: allow more time, or request less at once"],
  RATE_LIMIT_EXCEEDED: [{ retryAfterS: 7 }, "rate limit exceeded: retry after 7 s"],
  OVERLOADED: [{ retryAfterS: 1 }, "the server is overloaded and did not process the request: retry after 1 s"],
  UNAVAILABLE: [{}, "the service cannot reach its database: try again later"],
  OUTCOME_UNKNOWN: [
    {},
    "the connection to the database was lost, and the change may have been made: retry with the same Idempotency-Key (request_id over gRPC), or read the resource first",
  ],
  INTERNAL: [{}, "internal error: the service's log has the cause"],
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
