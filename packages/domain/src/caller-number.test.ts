import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CallerIdentityHeaders,
  isWithheldCallerText,
  type NationalNumberRules,
  readCallerNumber,
  readDialedNumber,
  readRedirectingNumbers,
} from "./caller-number.js";
import { anyText } from "./testing/any-text.js";

const E164_ONLY: NationalNumberRules = { countryCode: undefined, trunkPrefix: undefined };
const US: NationalNumberRules = { countryCode: "1", trunkPrefix: undefined };
const GERMANY: NationalNumberRules = { countryCode: "49", trunkPrefix: "0" };
const RUSSIA: NationalNumberRules = { countryCode: "7", trunkPrefix: "8" };
const JAPAN: NationalNumberRules = { countryCode: "81", trunkPrefix: "0" };
const AUSTRALIA: NationalNumberRules = { countryCode: "61", trunkPrefix: "0" };
const SPAIN: NationalNumberRules = { countryCode: "34", trunkPrefix: undefined };
const ITALY: NationalNumberRules = { countryCode: "39", trunkPrefix: undefined };
const DENMARK: NationalNumberRules = { countryCode: "45", trunkPrefix: undefined };

const KEYPAD = ["266696687", "7378742833", "7378742883", "2562533", "8656696", "86282452253", "464"];
const WORDS = [
  ...["Anonymous", "Restricted", "Unavailable", "Blocked", "Unknown", "Private", "Withheld"],
  ...["Private Number", "Unknown-Caller", "No Caller ID", "Number Withheld", "Not available", "Out of Area"],
];

describe("readCallerNumber", () => {
  test.each([
    ...WORDS.flatMap((word) => [word, word.toUpperCase(), `sip:${word}@pbx.example`]),
    ...KEYPAD.flatMap((digits) => [`+${digits}`, `+1${digits}`, digits, `sip:+${digits}@provider.example`]),
    "",
    " ",
    "sip:anonymous@anonymous.invalid",
    '"Anonymous" <sip:anonymous@anonymous.invalid>;tag=1',
    "sip:+14155550100@anonymous.invalid",
    '"Shop" <>',
    undefined,
  ])("is withheld: %j", (from) => {
    for (const rules of [E164_ONLY, US, GERMANY])
      expect(readCallerNumber({ from }, rules)).toEqual({ kind: "withheld" });
  });

  test.each([
    ...["client:alice", "client:+14155550100", "sip:alice@pbx.example", "+1415555FLOWERS", "+123456", "100"],
    ...["004", "0", "+", "x".repeat(1001)],
  ])("is unreadable: %j", (from) => {
    for (const rules of [E164_ONLY, US, GERMANY])
      expect(readCallerNumber({ from }, rules)).toEqual({ kind: "unreadable" });
  });

  test.each<[from: string, rules: NationalNumberRules, number: string | undefined]>([
    ["+14155550100", E164_ONLY, "+14155550100"],
    ["sip:+14155550100@provider.example;user=phone", E164_ONLY, "+14155550100"],
    ["sip:%2B14155550100;npdi@provider.example", E164_ONLY, "+14155550100"],
    ['"Shop, +15005550000" <sip:+14155550100@pbx>;tag=7', E164_ONLY, "+14155550100"],
    ['"<sip:+15005550000@pbx>" <sip:+14155550100@pbx>', E164_ONLY, "+14155550100"],
    ["tel:+1-415-555-0100", E164_ONLY, "+14155550100"],
    ["+1 (415) 555.0100", E164_ONLY, "+14155550100"],
    ["+14155550100@provider.example", E164_ONLY, "+14155550100"],
    [" 14155550100", E164_ONLY, "+14155550100"],
    ["14155550100", E164_ONLY, undefined],
    ["030123456", E164_ONLY, undefined],
    ["4155550100", US, "+14155550100"],
    ["14155550100", US, "+14155550100"],
    ["011493012345", US, "+493012345"],
    ["5550100", US, undefined],
    ["2012345678", US, "+12012345678"],
    ["030123456", GERMANY, "+4930123456"],
    ["0049301234567", GERMANY, "+49301234567"],
    ["49301234567", GERMANY, "+49301234567"],
    ["0033123456789", GERMANY, "+33123456789"],
    ["911234567", SPAIN, "+34911234567"],
    ["sip:0301234567@pbx.local", GERMANY, "+49301234567"],
    // Trunks that send E.164 numbers without the plus sign. The trunks of the provider easybell do so by default.
    ["442079460100", GERMANY, "+442079460100"],
    ["493012345", GERMANY, "+493012345"],
    ["12125550100", GERMANY, "+12125550100"],
    ["12223334444", GERMANY, undefined],
    ["30123456", GERMANY, undefined],
    ["442079460100", US, undefined],
    // The Russian trunk prefix 8 is the first digit of country codes, such as 86.
    ["84951234567", RUSSIA, "+74951234567"],
    ["8613800138000", RUSSIA, "+8613800138000"],
    ["79261234567", RUSSIA, "+79261234567"],
    ["9261234567", RUSSIA, undefined],
    // International call prefixes other than 00: 810, 010 and 0011.
    ["810442079460100", RUSSIA, "+442079460100"],
    ["01014155550100", JAPAN, "+14155550100"],
    ["01012223334444", JAPAN, "+12223334444"],
    ["0312345678", JAPAN, "+81312345678"],
    ["0011442079460100", AUSTRALIA, "+442079460100"],
    ["0291234567", AUSTRALIA, "+61291234567"],
    // Countries without a trunk prefix. The phone system ivozprovider converted the first number to +3434945945945, with the country code twice.
    ["34945945945", SPAIN, "+34945945945"],
    ["945945945", SPAIN, "+34945945945"],
    ["442079460100", SPAIN, undefined],
    ["442079460100", ITALY, undefined],
    ["390612345678", ITALY, "+390612345678"],
    ["0612345678", ITALY, "+390612345678"],
    ["4532123456", DENMARK, "+4532123456"],
    ["45121212", DENMARK, "+4545121212"],
    ["0049301234567", SPAIN, "+49301234567"],
  ])("of %s with %o is %s", (from, rules, number) => {
    expect(readCallerNumber({ from }, rules)).toEqual(
      number === undefined ? { kind: "unreadable" } : { kind: "number", number },
    );
  });

  test.each<[name: string, texts: Partial<CallerIdentityHeaders>, number: string | undefined]>([
    ["the asserted identity before From", { assertedIdentity: "<sip:+14155550111@pbx>" }, "+14155550111"],
    [
      "the number among asserted identities",
      { assertedIdentity: '"A, B" <sip:alice@pbx>, <tel:+14155550111>' },
      "+14155550111",
    ],
    ["From after an identity without a number", { assertedIdentity: "<sip:alice@pbx>" }, "+14155550100"],
    ["From after an empty identity", { assertedIdentity: "" }, "+14155550100"],
    ["nothing for an anonymous identity", { assertedIdentity: "<sip:anonymous@anonymous.invalid>" }, undefined],
    [
      "nothing for an extension that calls anonymously",
      { assertedIdentity: "<sip:100@pbx>", from: "anonymous" },
      undefined,
    ],
    ["nothing with Privacy: id", { assertedIdentity: "<sip:+14155550111@pbx>", privacy: "id" }, undefined],
    ["nothing with Privacy: id for a name", { from: "client:alice", privacy: "id" }, undefined],
    ["nothing with Privacy: critical; ID", { privacy: "critical; ID" }, undefined],
    ["the number with Privacy: none", { privacy: "none" }, "+14155550100"],
  ])("returns %s", (_, texts, number) => {
    const caller = number === undefined ? { kind: "withheld" } : { kind: "number", number };
    expect(readCallerNumber({ from: "+14155550100", ...texts }, E164_ONLY)).toEqual(caller);
  });
});

describe("isWithheldCallerText", () => {
  test.each([
    ...WORDS.flatMap((word) => [word, word.toUpperCase(), ` ${word} `, `sip:${word}@pbx.example`]),
    ...KEYPAD.map((digits) => `+${digits}`),
    ...[
      "",
      " ",
      "-",
      "N/A",
      "none",
      "sip:+14155550100@anonymous.invalid",
      '"Caller" <anonymous>',
      '"" <>',
      "0000000000",
      '"Shop" <>',
    ],
  ])("is true for %j", (text) => {
    expect(isWithheldCallerText(text)).toBe(true);
  });

  test.each(["+14155550100", "4155550100", "100", "alice", "unknownperson", '"+14155550100"', "0"])(
    "is false for %j",
    (text) => {
      expect(isWithheldCallerText(text)).toBe(false);
    },
  );
});

test.each<[to: string | undefined, rules: NationalNumberRules, number: string | undefined]>([
  ["+12225550142", E164_ONLY, "+12225550142"],
  ["sip:+12225550142@calls.example", E164_ONLY, "+12225550142"],
  ["12225550142", E164_ONLY, "12225550142"],
  ["sip:2225550142@calls.example", E164_ONLY, "2225550142"],
  ["2225550142", US, "+12225550142"],
  [" 12225550142", E164_ONLY, "+12225550142"],
  ["030 123456", GERMANY, "+4930123456"],
  ["442079460100", GERMANY, "+442079460100"],
  ["12225550142", GERMANY, "12225550142"],
  ["34945945945", SPAIN, "+34945945945"],
  ["+266696687", E164_ONLY, "+266696687"],
  ["1234567890123456", E164_ONLY, undefined],
  ["shop", E164_ONLY, undefined],
  ["", E164_ONLY, undefined],
  [undefined, E164_ONLY, undefined],
])("readDialedNumber: %j", (to, rules, number) => {
  expect(readDialedNumber(to, rules)).toBe(number);
});

test.each<[text: string | undefined, numbers: readonly string[]]>([
  [undefined, []],
  ["", []],
  ["+12225550142", ["+12225550142"]],
  [
    '"a, b" <sip:+12225550142@pbx>;reason=no-answer;counter=1, <sip:4155550100@pbx>;reason=deflection',
    ["+12225550142", "+14155550100"],
  ],
  ["4155550100, 2125550100", ["+14155550100", "+12125550100"]],
  ["anonymous, client:bob, +266696687", []],
  [
    `<sip:+12225550142@pbx>${", <sip:4155550100@pbx>;reason=no-answer".repeat(100)}`,
    ["+12225550142", ...Array(25).fill("+14155550100")],
  ],
])("readRedirectingNumbers: %j", (text, numbers) => {
  expect(readRedirectingNumbers(text, US)).toEqual(numbers);
});

test("any text is read as a valid number or none, without an error", () => {
  const parts = fc.constantFrom(
    "sip:",
    "tel:",
    "<",
    ">",
    '"',
    "\\",
    "@",
    ";",
    ",",
    "+",
    "%2B",
    "00",
    "011",
    "0",
    "14155550100",
    " ",
  );
  const text = fc.oneof(
    anyText(100),
    fc.array(fc.oneof(parts, anyText(3)), { maxLength: 20 }).map((each) => each.join("")),
  );
  const digits = fc.option(fc.stringMatching(/^[0-9]{1,3}$/), { nil: undefined });
  fc.assert(
    fc.property(text, text, text, digits, digits, (from, assertedIdentity, privacy, countryCode, trunkPrefix) => {
      const rules = { countryCode, trunkPrefix };
      const caller = readCallerNumber({ from, assertedIdentity, privacy }, rules);
      expect(caller.kind === "number" ? caller.number : "+1234567").toMatch(/^\+[1-9][0-9]{6,14}$/);
      expect(readDialedNumber(from, rules) ?? "1").toMatch(/^(\+[1-9][0-9]{6,14}|[0-9]{1,15})$/);
      for (const number of readRedirectingNumbers(from, rules)) expect(number).toMatch(/^\+[1-9][0-9]{6,14}$/);
    }),
    { numRuns: 2000 },
  );
});

test("a long text is no number", () => {
  const from = `<sip:+14155550100@pbx>"${'\\"'.repeat(32_000)}`;
  expect(readCallerNumber({ from, assertedIdentity: from, privacy: from }, US)).toEqual({ kind: "unreadable" });
  expect(readDialedNumber(from, US)).toBeUndefined();
  expect(readRedirectingNumbers(from, US)).toEqual([]);
});
