import { create, type MessageInitShape } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FieldViolation } from "./field-violation.js";
import {
  CreatePhoneNumberRequestSchema,
  GetPhoneNumberRequestSchema,
  ListPhoneNumbersRequestSchema,
} from "./gen/calltracking/v1/phone_number_pb.js";
import { parseCreatePhoneNumber, parseGetPhoneNumber, parseListPhoneNumbers } from "./phone-number.js";
import { anyText } from "./testing/any-text.js";
import {
  anyBrokenRequest,
  anyOf,
  description,
  invalidFields,
  optional,
  phoneNumber,
  positive,
  reference,
  requestId,
  required,
  token,
  violationsOf,
} from "./testing/broken-request.js";

type CreateInit = MessageInitShape<typeof CreatePhoneNumberRequestSchema>;

const GOOD = {
  accountId: "acct_1",
  phoneNumber: "+12223334444",
  description: "Front desk",
  propertyToken: "prop_1",
} satisfies CreateInit;

const PARSED = { account: "acct_1", phoneNumber: "+12223334444", description: "Front desk", propertyToken: "prop_1" };

describe("parseCreatePhoneNumber", () => {
  test.each<[name: string, init: CreateInit, parsed: object]>([
    ["every field", GOOD, PARSED],
    [
      "only required fields",
      { accountId: "42", phoneNumber: "+1234567" },
      { account: "42", phoneNumber: "+1234567", description: undefined, propertyToken: undefined },
    ],
    ["an empty description stays empty", { ...GOOD, description: "" }, { ...PARSED, description: "" }],
    ["an empty property_token is none", { ...GOOD, propertyToken: "" }, { ...PARSED, propertyToken: undefined }],
  ])("%s", (_, init, parsed) => {
    expect(parseCreatePhoneNumber(create(CreatePhoneNumberRequestSchema, init))).toEqual(parsed);
  });

  test.each<[name: string, init: CreateInit, violations: FieldViolation[]]>([
    [
      "nothing",
      {},
      [
        { field: "account_id", description: "is required" },
        { field: "phone_number", description: "is required" },
      ],
    ],
    [
      "only invalid fields",
      { accountId: "", phoneNumber: "12223334444", description: "\0", propertyToken: "a b" },
      [
        { field: "account_id", description: "must not be empty" },
        { field: "phone_number", description: "must be a phone number in E.164 format, such as +12223334444" },
        { field: "description", description: "must not contain a NUL character" },
        {
          field: "property_token",
          description: "must not contain whitespace, control, format or unassigned characters",
        },
      ],
    ],
  ])("rejects %s", (_, init, violations) => {
    const request = create(CreatePhoneNumberRequestSchema, init);
    expect(violationsOf(() => parseCreatePhoneNumber(request))).toEqual(violations);
  });

  test("reports every invalid field exactly once", () => {
    const cases = {
      accountId: required(reference),
      phoneNumber: required(phoneNumber),
      description: optional(description),
      propertyToken: optional(token),
      requestId,
    };
    fc.assert(
      fc.property(anyBrokenRequest(CreatePhoneNumberRequestSchema, cases), ({ request, broken }) => {
        expect(invalidFields(() => parseCreatePhoneNumber(request))).toEqual(broken);
      }),
    );
  });
});

describe("parseGetPhoneNumber", () => {
  test("returns the account and the id, without requiring a UUID", () => {
    const request = create(GetPhoneNumberRequestSchema, { accountId: "acct_1", phoneNumberId: "no-uuid" });
    expect(parseGetPhoneNumber(request)).toEqual({ account: "acct_1", phoneNumberId: "no-uuid" });
  });

  test("reports every invalid field exactly once", () => {
    const cases = { accountId: required(reference), phoneNumberId: required(reference) };
    fc.assert(
      fc.property(anyBrokenRequest(GetPhoneNumberRequestSchema, cases), ({ request, broken }) => {
        expect(invalidFields(() => parseGetPhoneNumber(request))).toEqual(broken);
      }),
    );
  });
});

describe("parseListPhoneNumbers", () => {
  test("returns the account and the page", () => {
    const request = create(ListPhoneNumbersRequestSchema, { accountId: "acct_1", pageSize: 2000, pageToken: "t" });
    expect(parseListPhoneNumbers(request)).toEqual({ account: "acct_1", page: { size: 1000, token: "t" } });
  });

  test("reports every invalid field exactly once", () => {
    const cases = { accountId: required(reference), pageSize: optional(positive), pageToken: anyOf(anyText(50)) };
    fc.assert(
      fc.property(anyBrokenRequest(ListPhoneNumbersRequestSchema, cases), ({ request, broken }) => {
        expect(invalidFields(() => parseListPhoneNumbers(request))).toEqual(broken);
      }),
    );
  });
});
