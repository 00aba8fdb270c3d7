import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  parseCreateAccountRequest,
  parseGetAccountRequest,
  parseListAccountsRequest,
  parseUpdateAccountRequest,
} from "./account.js";
import {
  CreateAccountRequestSchema,
  GetAccountRequestSchema,
  ListAccountsRequestSchema,
  UpdateAccountRequestSchema,
} from "./gen/calltracking/v1/account_pb.js";
import { anyText } from "./testing/any-text.js";
import {
  anyOf,
  boolean,
  expectEveryInvalidField,
  optional,
  positive,
  preconditions,
  problemsOf,
  requestId,
  required,
  token,
} from "./testing/broken-request.js";

describe("parseCreateAccountRequest", () => {
  test("returns the token unchanged", () => {
    expect(parseCreateAccountRequest(create(CreateAccountRequestSchema, { accountToken: "Acct-1" }))).toEqual({
      accountToken: "Acct-1",
    });
  });

  test.each<[name: string, request: { accountToken?: string }, problem: string]>([
    ["absent", {}, "is required"],
    ["empty", { accountToken: "" }, "must not be empty"],
    ["spaced", { accountToken: "a b" }, "must not contain whitespace, control, format or unassigned characters"],
    ["too long", { accountToken: "a".repeat(256) }, "must have at most 255 characters"],
  ])("rejects a token that is %s", (_, init, problem) => {
    const request = create(CreateAccountRequestSchema, init);
    expect(problemsOf(() => parseCreateAccountRequest(request))).toEqual([`account_token ${problem}`]);
  });

  test("reports every invalid field exactly once", () => {
    const empty = { good: token.good, bad: fc.oneof(fc.constant(""), token.bad ?? fc.constant("")) };
    const cases = { accountToken: required(empty), requestId };
    expectEveryInvalidField(CreateAccountRequestSchema, parseCreateAccountRequest, cases);
  });
});

describe("parseGetAccountRequest", () => {
  test.each(["acme", "42", "a/b"])("returns the token or id %s", (accountId) => {
    expect(parseGetAccountRequest(create(GetAccountRequestSchema, { accountId }))).toBe(accountId);
  });

  test.each([1, 42, 2 ** 31 - 1])("returns the id %i of the deprecated field", (id) => {
    expect(parseGetAccountRequest(create(GetAccountRequestSchema, { id }))).toBe(String(id));
  });

  test.each<[request: { accountId?: string; id?: number }, problem: string]>([
    [{}, "account_id is required"],
    [{ accountId: "" }, "account_id must not be empty"],
    [{ id: 0 }, "id must be a positive integer"],
    [{ id: -1 }, "id must be a positive integer"],
    [{ id: -(2 ** 31) }, "id must be a positive integer"],
    [{ accountId: "acme", id: 42 }, "id must not be set together with account_id: send only account_id"],
  ])("rejects %o", (request, problem) => {
    expect(problemsOf(() => parseGetAccountRequest(create(GetAccountRequestSchema, request)))).toEqual([problem]);
  });
});

describe("parseListAccountsRequest", () => {
  test("returns the filter, with the letters A to Z in lower case, and the page", () => {
    const request = create(ListAccountsRequestSchema, { query: "Ab-Ä", isActive: false, pageSize: 5, pageToken: "t" });
    const filter = { prefix: "ab-Ä", isActive: false };
    expect(parseListAccountsRequest(request)).toEqual({ filter, page: { size: 5, token: "t" } });
  });

  test("returns an empty filter by default", () => {
    const { filter } = parseListAccountsRequest(create(ListAccountsRequestSchema));
    expect(filter).toEqual({ prefix: undefined, isActive: undefined });
  });

  test("reports every invalid field exactly once", () => {
    const page = { pageSize: optional(positive), pageToken: anyOf(anyText(50)) };
    const cases = { query: optional(token), isActive: anyOf(fc.boolean()), ...page };
    expectEveryInvalidField(ListAccountsRequestSchema, parseListAccountsRequest, cases);
  });
});

describe("parseUpdateAccountRequest", () => {
  test.each([true, false])("returns the id and is_active %s", (isActive) => {
    expect(parseUpdateAccountRequest(create(UpdateAccountRequestSchema, { id: 7, isActive }))).toEqual({
      id: 7,
      isActive,
    });
  });

  test("requires is_active, and reports every violation", () => {
    const problems = problemsOf(() => parseUpdateAccountRequest(create(UpdateAccountRequestSchema)));
    expect(problems).toEqual(["id is required", "is_active is required"]);
  });

  test("reports every invalid field exactly once", () => {
    const cases = { id: required(positive), isActive: required(boolean), ...preconditions };
    expectEveryInvalidField(UpdateAccountRequestSchema, parseUpdateAccountRequest, cases);
  });
});
