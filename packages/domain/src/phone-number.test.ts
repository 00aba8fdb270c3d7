import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  CreatePhoneNumberRequestSchema,
  GetPhoneNumberRequestSchema,
  ListPhoneNumbersRequestSchema,
} from "./gen/calltracking/v1/phone_number_pb.js";
import {
  parseCreatePhoneNumberRequest,
  parseGetPhoneNumberRequest,
  parseListPhoneNumbersRequest,
} from "./phone-number.js";
import { anyText } from "./testing/any-text.js";
import {
  anyOf,
  description,
  expectEveryInvalidField,
  optional,
  phoneNumber,
  positive,
  problemsOf,
  reference,
  requestId,
  required,
  token,
} from "./testing/broken-request.js";

type CreateInit = MessageInitShape<typeof CreatePhoneNumberRequestSchema>;

const GOOD = {
  accountId: "acct_1",
  phoneNumber: "+12223334444",
  description: "Front desk",
  propertyToken: "prop_1",
} satisfies CreateInit;

const PARSED = { account: "acct_1", phoneNumber: "+12223334444", description: "Front desk", propertyToken: "prop_1" };

describe("parseCreatePhoneNumberRequest", () => {
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
    expect(parseCreatePhoneNumberRequest(create(CreatePhoneNumberRequestSchema, init))).toEqual(parsed);
  });

  test.each<[name: string, init: CreateInit, problems: string[]]>([
    ["nothing", {}, ["account_id is required", "phone_number is required"]],
    [
      "only invalid fields",
      { accountId: "", phoneNumber: "12223334444", description: "\0", propertyToken: "a b" },
      [
        "account_id must not be empty",
        "phone_number must be a phone number in E.164 format, such as +12223334444",
        "description must not contain a NUL character",
        "property_token must not contain whitespace, control, format or unassigned characters",
      ],
    ],
  ])("rejects %s", (_, init, problems) => {
    const request = create(CreatePhoneNumberRequestSchema, init);
    expect(problemsOf(() => parseCreatePhoneNumberRequest(request))).toEqual(problems);
  });

  test("reports every invalid field exactly once", () => {
    const cases = {
      accountId: required(reference),
      phoneNumber: required(phoneNumber),
      description: optional(description),
      propertyToken: optional(token),
      requestId,
    };
    expectEveryInvalidField(CreatePhoneNumberRequestSchema, parseCreatePhoneNumberRequest, cases);
  });
});

describe("parseGetPhoneNumberRequest", () => {
  test("returns the account and the id, without requiring a UUID", () => {
    const request = create(GetPhoneNumberRequestSchema, { accountId: "acct_1", phoneNumberId: "no-uuid" });
    expect(parseGetPhoneNumberRequest(request)).toEqual({ account: "acct_1", phoneNumberId: "no-uuid" });
  });

  test("reports every invalid field exactly once", () => {
    const cases = { accountId: required(reference), phoneNumberId: required(reference) };
    expectEveryInvalidField(GetPhoneNumberRequestSchema, parseGetPhoneNumberRequest, cases);
  });
});

describe("parseListPhoneNumbersRequest", () => {
  test("returns the account and the page", () => {
    const request = create(ListPhoneNumbersRequestSchema, { accountId: "acct_1", pageSize: 2000, pageToken: "t" });
    expect(parseListPhoneNumbersRequest(request)).toEqual({ account: "acct_1", page: { size: 1000, token: "t" } });
  });

  test("reports every invalid field exactly once", () => {
    const cases = { accountId: required(reference), pageSize: optional(positive), pageToken: anyOf(anyText(50)) };
    expectEveryInvalidField(ListPhoneNumbersRequestSchema, parseListPhoneNumbersRequest, cases);
  });
});
