import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findAreaCodeProblem, findPhoneNumberProblem } from "./telephony.js";
import { anyText } from "./testing/any-text.js";

const ASCII_DIGITS = "0123456789";
const NOT_E164 = "must be a phone number in E.164 format, such as +12223334444";
const NOT_DIGITS = "must be 1 to 5 digits";

describe("findPhoneNumberProblem", () => {
  test.each<[name: string, phoneNumber: string, problem: string | undefined]>([
    ["a test number that no numbering plan has", "+12223334444", undefined],
    ["7 digits, the fewest", "+1234567", undefined],
    ["15 digits, the most", "+123456789012345", undefined],
    ["zeros after the first digit", "+4900000000", undefined],
    ["6 digits", "+123456", NOT_E164],
    ["16 digits", "+1234567890123456", NOT_E164],
    ["a first digit of 0", "+02223334444", NOT_E164],
    ["no plus", "12223334444", NOT_E164],
    ["two pluses", "++12223334444", NOT_E164],
    ["00 for the plus", "0012223334444", NOT_E164],
    ["a full-width plus", "\uff0b12223334444", NOT_E164],
    ["nothing", "", NOT_E164],
    ["a plus alone", "+", NOT_E164],
    ["spaces between", "+1 222 333 4444", NOT_E164],
    ["hyphens and brackets", "+1-(222)-333-4444", NOT_E164],
    ["a space in front", " +12223334444", NOT_E164],
    ["a line feed behind", "+12223334444\n", NOT_E164],
    ["a second line", "x\n+12223334444", NOT_E164],
    ["letters", "+1222FLOWERS", NOT_E164],
    ["an extension", "+12223334444;ext=1", NOT_E164],
    ["Arabic-Indic digits", "+١٢٢٢٣٣٣٤٤٤٤", NOT_E164],
    ["full-width digits", "+１２２２３３３４４４４", NOT_E164],
    ["digits outside the BMP", "+\u{1d7cf}\u{1d7d0}\u{1d7d0}\u{1d7d0}\u{1d7d1}\u{1d7d1}\u{1d7d1}", NOT_E164],
    ["NUL behind", "+12223334444\0", NOT_E164],
  ])("%s", (_, phoneNumber, problem) => {
    expect(findPhoneNumberProblem(phoneNumber)).toBe(problem);
  });

  test("accepts exactly a plus and 7 to 15 ASCII digits of which the first is not 0", () => {
    fc.assert(
      fc.property(nearly("+", 5, 17), (phoneNumber) => {
        const digits = phoneNumber.slice(1);
        const accepted =
          phoneNumber.startsWith("+") &&
          isDigits(digits) &&
          digits.length >= 7 &&
          digits.length <= 15 &&
          digits[0] !== "0";
        expect(findPhoneNumberProblem(phoneNumber) === undefined).toBe(accepted);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("findAreaCodeProblem", () => {
  test.each<[name: string, areaCode: string, problem: string | undefined]>([
    ["three digits", "123", undefined],
    ["one digit, the fewest", "0", undefined],
    ["five digits, the most", "30599", undefined],
    ["leading zeros", "00030", undefined],
    ["nothing", "", NOT_DIGITS],
    ["six digits", "123456", NOT_DIGITS],
    ["a plus", "+123", NOT_DIGITS],
    ["a minus", "-1", NOT_DIGITS],
    ["a fraction", "1.5", NOT_DIGITS],
    ["an exponent", "1e3", NOT_DIGITS],
    ["hexadecimal", "0x1F", NOT_DIGITS],
    ["a space in front", " 123", NOT_DIGITS],
    ["a line feed behind", "123\n", NOT_DIGITS],
    ["Arabic-Indic digits", "١٢٣", NOT_DIGITS],
    ["Devanagari digits", "१२३", NOT_DIGITS],
    ["full-width digits", "１２３", NOT_DIGITS],
    ["a superscript digit", "12³", NOT_DIGITS],
  ])("%s", (_, areaCode, problem) => {
    expect(findAreaCodeProblem(areaCode)).toBe(problem);
  });

  test("accepts exactly 1 to 5 ASCII digits", () => {
    fc.assert(
      fc.property(nearly("", 0, 7), (areaCode) => {
        const accepted = isDigits(areaCode) && areaCode.length >= 1 && areaCode.length <= 5;
        expect(findAreaCodeProblem(areaCode) === undefined).toBe(accepted);
      }),
      { numRuns: 1000 },
    );
  });
});

/** Valid text, valid text with a random insertion, or any text. */
function nearly(prefix: string, minLength: number, maxLength: number): fc.Arbitrary<string> {
  const digits = fc
    .string({ unit: fc.constantFrom(...ASCII_DIGITS), minLength, maxLength })
    .map((text) => prefix + text);
  const spoilt = fc
    .tuple(digits, fc.nat(maxLength), anyText(1))
    .map(([text, place, put]) => text.slice(0, place) + put + text.slice(place));
  return fc.oneof(digits, spoilt, anyText(maxLength));
}

function isDigits(text: string): boolean {
  return text.split("").every((character) => ASCII_DIGITS.includes(character));
}
