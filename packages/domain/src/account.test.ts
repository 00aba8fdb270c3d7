import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCreateAccount, parseGetAccount, parseListAccounts, parseUpdateAccount } from "./account.js";
import type { FieldViolation } from "./field-violation.js";
import {
  CreateAccountRequestSchema,
  GetAccountRequestSchema,
  ListAccountsRequestSchema,
  UpdateAccountRequestSchema,
} from "./gen/calltracking/v1/account_pb.js";
import { anyText } from "./testing/any-text.js";
import {
  anyBrokenRequest,
  anyOf,
  boolean,
  invalidFields,
  optional,
  positive,
  preconditions,
  requestId,
  required,
  token,
  violationsOf,
} from "./testing/broken-request.js";

describe("parseCreateAccount", () => {
  test("returns the token unchanged", () => {
    expect(parseCreateAccount(create(CreateAccountRequestSchema, { accountToken: "Acct-1" }))).toEqual({
      accountToken: "Acct-1",
    });
  });

  test.each<[name: string, accountToken: string | undefined, description: string]>([
    ["absent", undefined, "is required"],
    ["empty", "", "must not be empty"],
    ["spaced", "a b", "must not contain whitespace, control, format or unassigned characters"],
    ["too long", "a".repeat(256), "must have at most 255 characters"],
  ])("rejects a token that is %s", (_, accountToken, description) => {
    const request = create(CreateAccountRequestSchema, accountToken === undefined ? {} : { accountToken });
    expect(violationsOf(() => parseCreateAccount(request))).toEqual([{ field: "account_token", description }]);
  });

  test("reports every invalid field exactly once", () => {
    const empty = { good: token.good, bad: fc.oneof(fc.constant(""), token.bad ?? fc.constant("")) };
    fc.assert(
      fc.property(
        anyBrokenRequest(CreateAccountRequestSchema, { accountToken: required(empty), requestId }),
        ({ request, broken }) => {
          expect(invalidFields(() => parseCreateAccount(request))).toEqual(broken);
        },
      ),
    );
  });
});

describe("parseGetAccount", () => {
  test.each(["acme", "42", "a/b"])("returns the token or id %s", (accountId) => {
    expect(parseGetAccount(create(GetAccountRequestSchema, { accountId }))).toBe(accountId);
  });

  test.each([1, 42, 2 ** 31 - 1])("returns the id %i of the deprecated field", (id) => {
    expect(parseGetAccount(create(GetAccountRequestSchema, { id }))).toBe(String(id));
  });

  test.each<[request: { accountId?: string; id?: number }, FieldViolation]>([
    [{}, { field: "account_id", description: "is required" }],
    [{ accountId: "" }, { field: "account_id", description: "must not be empty" }],
    [{ id: 0 }, { field: "id", description: "must be a positive integer" }],
    [{ id: -1 }, { field: "id", description: "must be a positive integer" }],
    [{ id: -(2 ** 31) }, { field: "id", description: "must be a positive integer" }],
    [
      { accountId: "acme", id: 42 },
      { field: "id", description: "must not be set with account_id" },
    ],
  ])("rejects %o", (request, violation) => {
    expect(violationsOf(() => parseGetAccount(create(GetAccountRequestSchema, request)))).toEqual([violation]);
  });
});

describe("parseListAccounts", () => {
  test("returns the filter, with the letters A to Z in lower case, and the page", () => {
    const request = create(ListAccountsRequestSchema, { query: "Ab-Ä", isActive: false, pageSize: 5, pageToken: "t" });
    const filter = { prefix: "ab-Ä", isActive: false };
    expect(parseListAccounts(request)).toEqual({ filter, page: { size: 5, token: "t" } });
  });

  test("returns an empty filter by default", () => {
    const { filter } = parseListAccounts(create(ListAccountsRequestSchema));
    expect(filter).toEqual({ prefix: undefined, isActive: undefined });
  });

  test("reports every invalid field exactly once", () => {
    const page = { pageSize: optional(positive), pageToken: anyOf(anyText(50)) };
    const cases = { query: optional(token), isActive: anyOf(fc.boolean()), ...page };
    fc.assert(
      fc.property(anyBrokenRequest(ListAccountsRequestSchema, cases), ({ request, broken }) => {
        expect(invalidFields(() => parseListAccounts(request))).toEqual(broken);
      }),
    );
  });
});

describe("parseUpdateAccount", () => {
  test.each([true, false])("returns the id and is_active %s", (isActive) => {
    expect(parseUpdateAccount(create(UpdateAccountRequestSchema, { id: 7, isActive }))).toEqual({ id: 7, isActive });
  });

  test("requires is_active, and reports every violation", () => {
    expect(violationsOf(() => parseUpdateAccount(create(UpdateAccountRequestSchema)))).toEqual<FieldViolation[]>([
      { field: "id", description: "is required" },
      { field: "is_active", description: "is required" },
    ]);
  });

  test("reports every invalid field exactly once", () => {
    const cases = { id: required(positive), isActive: required(boolean), ...preconditions };
    fc.assert(
      fc.property(anyBrokenRequest(UpdateAccountRequestSchema, cases), ({ request, broken }) => {
        expect(invalidFields(() => parseUpdateAccount(request))).toEqual(broken);
      }),
    );
  });
});
