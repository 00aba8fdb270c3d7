import { create, type MessageInitShape } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  CheckPhoneSystemRequestSchema,
  CreatePhoneSystemRequestSchema,
  GetPhoneSystemRequestSchema,
  ListPhoneSystemsRequestSchema,
  PhoneSystemCapability,
  PhoneSystemKind,
  RotatePhoneSystemCredentialsRequestSchema,
  UpdatePhoneSystemRequestSchema,
} from "./gen/calltracking/v1/phone_system_pb.js";
import {
  type PhoneSystemKind as KindName,
  parseCreatePhoneSystemRequest,
  parseListPhoneSystemsRequest,
  parsePhoneSystemId,
  parseRotatePhoneSystemCredentialsRequest,
  parseUpdatePhoneSystemRequest,
  requireSecretFormats,
  requireValidPhoneSystemUpdate,
} from "./phone-system.js";
import { anyText } from "./testing/any-text.js";
import {
  anyOf,
  expectEveryInvalidField,
  invalidFields,
  optional,
  phoneNumber,
  positive,
  preconditions,
  problemsOf,
  reference,
  required,
  violationsOf,
} from "./testing/broken-request.js";

type CreateInit = MessageInitShape<typeof CreatePhoneSystemRequestSchema>;
type UpdateInit = MessageInitShape<typeof UpdatePhoneSystemRequestSchema>;

const { TWILIO, SIGNALWIRE, TELNYX, SIP } = PhoneSystemKind;
const { PROMPT, RECORDING, WHISPER } = PhoneSystemCapability;

const SID = "AC0123456789abcdef0123456789abcdef";
const PROJECT = "019AA360-2b3c-7d4e-9f50-617283940a1b";
const PUBLIC_KEY = "MCowBQYDK2VwAyEAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
const REQUEST_ID = "c1f4d1b8-6a52-4f0e-8a35-0d9e7b62c111";

const PBX = { name: "Main trunk", kind: SIP, fallbackNumber: "+10005550100" } satisfies CreateInit;
const PROVIDER = { ...PBX, kind: TWILIO, accountSid: SID, secret: "12345" } satisfies CreateInit;

function createdBy(init: CreateInit) {
  return parseCreatePhoneSystemRequest(create(CreatePhoneSystemRequestSchema, init));
}

describe("parseCreatePhoneSystemRequest", () => {
  test("returns every field of a PBX, without duplicates", () => {
    const init = {
      ...PBX,
      countryCode: "49",
      trunkPrefix: "0",
      allowedPrefixes: ["+49", "+1", "+49"],
      allowedSipHosts: ["PBX.example.com", "192.0.2.1", "pbx.example.com"],
      requestId: REQUEST_ID,
    };
    expect(createdBy({ ...init, capabilities: [RECORDING, PROMPT, RECORDING] })).toEqual({
      ...init,
      kind: "sip",
      ...{ accountSid: undefined, secret: undefined, sharedKey: undefined },
      allowedPrefixes: ["+49", "+1"],
      allowedSipHosts: ["pbx.example.com", "192.0.2.1"],
      capabilities: ["recording", "prompt"],
    });
  });

  test.each<[kind: KindName, init: CreateInit]>([
    ["twilio", { ...PROVIDER, sharedKey: "k" }],
    ["twilio", { ...PROVIDER, accountSid: SID.replaceAll("a", "A"), secret: "~".repeat(255) }],
    ["signalwire", { ...PROVIDER, kind: SIGNALWIRE, accountSid: PROJECT }],
    ["telnyx", { ...PBX, kind: TELNYX, secret: PUBLIC_KEY }],
  ])("accepts %s", (kind, init) => {
    const { accountSid, secret, sharedKey } = init;
    expect(createdBy(init)).toMatchObject({ kind, accountSid, secret, sharedKey, capabilities: [] });
  });

  test.each<[name: string, init: CreateInit, violations: string[]]>([
    ["nothing", {}, ["name is required", "kind is required", "fallback_number is required"]],
    ["an unknown kind", { ...PBX, kind: 99 as never }, ["kind must be twilio, signalwire, telnyx or sip"]],
    ["no name", { ...PBX, name: "" }, ["name must not be empty"]],
    ["a long name", { ...PBX, name: "\u{1F4DE}".repeat(101) }, ["name must have at most 100 characters"]],
    [
      "a name of two lines",
      { ...PBX, name: "a\nb" },
      ["name must not contain control, format or unassigned characters"],
    ],
    ["Twilio without credentials", { ...PBX, kind: TWILIO }, ["account_sid is required", "secret is required"]],
    [
      "another SID",
      { ...PROVIDER, accountSid: "SK0123456789abcdef0123456789abcdef" },
      ["account_sid must be the account SID: AC and 32 hexadecimal digits"],
    ],
    ["a SID as project", { ...PROVIDER, kind: SIGNALWIRE }, ["account_sid must be the id of the project: a UUID"]],
    [
      "an account of Telnyx",
      { ...PROVIDER, kind: TELNYX, secret: PUBLIC_KEY },
      ["account_sid must not be set for telnyx"],
    ],
    [
      "another shared key",
      { ...PROVIDER, kind: SIGNALWIRE, accountSid: PROJECT, sharedKey: "k" },
      ["shared_key must not be set for signalwire"],
    ],
    [
      "secrets of a PBX",
      { ...PROVIDER, kind: SIP, sharedKey: "k" },
      [
        "account_sid must not be set for sip",
        "secret must not be set for sip: the service generates the API key",
        "shared_key must not be set for sip",
      ],
    ],
    [
      "capabilities of a provider",
      { ...PROVIDER, capabilities: [PROMPT] },
      ["capabilities must not be set for twilio, which has all capabilities"],
    ],
    [
      "unknown capabilities",
      { ...PBX, capabilities: [PROMPT, 0, 9 as never] },
      ["capabilities[1] must be prompt, whisper or recording", "capabilities[2] must be prompt, whisper or recording"],
    ],
    ["a trunk prefix alone", { ...PBX, trunkPrefix: "0" }, ["trunk_prefix requires country_code"]],
    [
      "bad digits",
      { ...PBX, countryCode: "+1", trunkPrefix: "0000" },
      ["country_code must be 1 to 3 digits", "trunk_prefix must be 1 to 3 digits"],
    ],
    [
      "no digits",
      { ...PBX, countryCode: "", trunkPrefix: "" },
      ["country_code must be 1 to 3 digits", "trunk_prefix must be 1 to 3 digits"],
    ],
    ["a country code of 0", { ...PBX, countryCode: "049" }, ["country_code must not begin with 0"]],
    [
      "bad prefixes",
      { ...PBX, allowedPrefixes: ["1", "+", "+0", "+12345678", "+1234567"] },
      [0, 1, 2, 3].map((index) => `allowed_prefixes[${index}] must be + and 1 to 7 digits, such as +1 or +4930`),
    ],
    [
      "many prefixes",
      { ...PBX, allowedPrefixes: Array.from({ length: 101 }, (_, index) => `+${index + 1}`) },
      ["allowed_prefixes must contain at most 100 prefixes"],
    ],
    [
      "bad hosts",
      { ...PBX, allowedSipHosts: ["", "pbx.example.com:5060", "sip:pbx", "*.example.com", "[2001:db8::1]"] },
      [0, 1, 2, 3].map(
        (index) => `allowed_sip_hosts[${index}] must be a host name or an IP address, such as pbx.example.com`,
      ),
    ],
    [
      "many hosts",
      { ...PBX, allowedSipHosts: Array.from({ length: 101 }, (_, index) => `pbx${index}.example.com`) },
      ["allowed_sip_hosts must contain at most 100 hosts"],
    ],
    [
      "a guessable request id",
      { ...PBX, requestId: "1" },
      [
        "request_id must be a random UUID (version 4 or 7); JSON requests send request_id as the Idempotency-Key header",
      ],
    ],
  ])("rejects %s", (_, init, violations) => {
    expect(problemsOf(() => createdBy(init))).toEqual(violations);
  });
});

test.each<[kind: KindName, secret: string | undefined, isValid: boolean]>([
  ["twilio", "a".repeat(256), false],
  ["twilio", "a b", false],
  ["twilio", "é", false],
  ["twilio", "", false],
  ["twilio", undefined, false],
  ["signalwire", "PSK_1", true],
  ["signalwire", "a\n", false],
  ["telnyx", PUBLIC_KEY, true],
  ["telnyx", PUBLIC_KEY.slice(0, -1), false],
  ["telnyx", PUBLIC_KEY.replace("A=", "B="), false],
  ["telnyx", PUBLIC_KEY.replace("MC", "--"), false],
  ["telnyx", "AAAA", false],
  ["sip", undefined, true],
  ["sip", "x", false],
])("requireSecretFormats: %s %j", (kind, secret, isValid) => {
  expect(invalidFields(() => requireSecretFormats(kind, { secret }))).toEqual(isValid ? [] : ["secret"]);
});

test("errors contain no secrets", () => {
  const secret = fc.string({ minLength: 8 }).map((text) => `\n${text}`);
  const anyKind = fc.constantFrom<KindName>("twilio", "signalwire", "telnyx", "sip");
  fc.assert(
    fc.property(secret, secret, anyKind, (one, other, kind) => {
      const text = JSON.stringify(violationsOf(() => requireSecretFormats(kind, { secret: one, sharedKey: other })));
      expect(text).not.toContain(JSON.stringify(one).slice(1, -1));
      expect(text).not.toContain(JSON.stringify(other).slice(1, -1));
    }),
  );
});

describe("parseUpdatePhoneSystemRequest", () => {
  const parse = (init: UpdateInit) => parseUpdatePhoneSystemRequest(create(UpdatePhoneSystemRequestSchema, init));

  test("returns every field", () => {
    const init = {
      phoneSystemId: "x",
      name: "a",
      fallbackNumber: "+10005550100",
      countryCode: "",
      trunkPrefix: "",
      isActive: false,
    };
    const lists = {
      ...{ allowedPrefixes: { prefixes: ["+1", "+1"] }, capabilities: { capabilities: [WHISPER] } },
      allowedSipHosts: { hosts: ["PBX", "pbx"] },
    };
    const read = { allowedPrefixes: ["+1"], allowedSipHosts: ["pbx"], capabilities: ["whisper"] };
    expect(parse({ ...init, ...lists })).toEqual({ ...init, ...read });
    expect(parse({ phoneSystemId: "x" })).toEqual({ phoneSystemId: "x" });
    const emptied = parse({ phoneSystemId: "x", allowedPrefixes: {}, allowedSipHosts: {}, capabilities: {} });
    expect(emptied).toMatchObject({ allowedPrefixes: [], allowedSipHosts: [], capabilities: [] });
  });

  test("reports every invalid field exactly once", () => {
    const digits = { good: fc.constantFrom("", "1", "49"), bad: fc.constantFrom("1234", "a", "+1") };
    const cases = {
      phoneSystemId: required(reference),
      name: optional({
        good: fc.constantFrom("a b", "a".repeat(100)),
        bad: fc.constantFrom("", "\n", "a".repeat(101)),
      }),
      fallbackNumber: optional(phoneNumber),
      countryCode: optional(digits),
      trunkPrefix: optional(digits),
      allowedPrefixes: anyOf(fc.constant({ prefixes: ["+1"] })),
      allowedSipHosts: anyOf(fc.constant({ hosts: ["pbx"] })),
      capabilities: anyOf(fc.constant({ capabilities: [PROMPT] })),
      isActive: anyOf(fc.boolean()),
      ...preconditions,
    };
    expectEveryInvalidField(UpdatePhoneSystemRequestSchema, parseUpdatePhoneSystemRequest, cases);
  });

  test("reports entries of lists", () => {
    const prefixes = { allowedPrefixes: { prefixes: ["1"] }, allowedSipHosts: { hosts: ["-"] } };
    const lists = { ...prefixes, capabilities: { capabilities: [0] } };
    expect(invalidFields(() => parse({ phoneSystemId: "x", ...lists }))).toEqual([
      "allowed_prefixes.prefixes[0]",
      "allowed_sip_hosts.hosts[0]",
      "capabilities.capabilities[0]",
    ]);
  });

  test.each<[name: string, before: [KindName, string?, string?], change: UpdateInit, fields: string[]]>([
    ["capabilities of a PBX", ["sip"], { capabilities: {} }, []],
    ["capabilities of a provider", ["twilio"], { capabilities: {} }, ["capabilities"]],
    ["a trunk prefix with a country code", ["sip", "49"], { trunkPrefix: "0" }, []],
    ["a trunk prefix without one", ["sip"], { trunkPrefix: "0" }, ["trunk_prefix"]],
    ["both", ["sip"], { countryCode: "49", trunkPrefix: "0" }, []],
    ["no country code under a trunk prefix", ["sip", "49", "0"], { countryCode: "" }, ["country_code"]],
    ["neither any more", ["sip", "49", "0"], { countryCode: "", trunkPrefix: "" }, []],
  ])("requireValidPhoneSystemUpdate: %s", (_, [kind, countryCode, trunkPrefix], change, fields) => {
    const parsed = parse({ phoneSystemId: "x", ...change });
    expect(invalidFields(() => requireValidPhoneSystemUpdate({ kind, countryCode, trunkPrefix }, parsed))).toEqual(
      fields,
    );
  });
});

describe("parseRotatePhoneSystemCredentialsRequest", () => {
  test("returns every field, with an overlap of a day by default", () => {
    const init = { phoneSystemId: "x", secret: "s", sharedKey: "k", overlapSeconds: 0, requestId: REQUEST_ID };
    expect(parseRotatePhoneSystemCredentialsRequest(create(RotatePhoneSystemCredentialsRequestSchema, init))).toEqual(
      init,
    );
    const request = create(RotatePhoneSystemCredentialsRequestSchema, { phoneSystemId: "x" });
    expect(parseRotatePhoneSystemCredentialsRequest(request)).toEqual({ phoneSystemId: "x", overlapSeconds: 86_400 });
  });

  test("reports every invalid field exactly once", () => {
    const cases = {
      phoneSystemId: required(reference),
      ...{ secret: anyOf(anyText(50)), sharedKey: anyOf(anyText(50)) },
      overlapSeconds: optional({ good: fc.constantFrom(0, 604_800), bad: fc.constantFrom(-1, 604_801) }),
      requestId: optional({ good: fc.constant(REQUEST_ID), bad: fc.constantFrom("", "1") }),
    };
    expectEveryInvalidField(RotatePhoneSystemCredentialsRequestSchema, parseRotatePhoneSystemCredentialsRequest, cases);
  });
});

test("parsePhoneSystemId requires an id", () => {
  const cases = { phoneSystemId: required(reference) };
  expectEveryInvalidField(GetPhoneSystemRequestSchema, parsePhoneSystemId, cases);
  expectEveryInvalidField(CheckPhoneSystemRequestSchema, parsePhoneSystemId, cases);
});

test("parseListPhoneSystemsRequest reads the page", () => {
  const cases = { pageSize: optional(positive), pageToken: anyOf(anyText(50)) };
  expectEveryInvalidField(ListPhoneSystemsRequestSchema, parseListPhoneSystemsRequest, cases);
});
