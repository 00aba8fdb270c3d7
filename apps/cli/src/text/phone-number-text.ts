import { isWithheldCallerText, type NationalNumberRules, readCallerNumber } from "@calltrack/domain";
import type { ParseResult } from "./parse-result.js";
import { describeSpreadsheetDamage } from "./spreadsheet-damage.js";

const NO_COUNTRY: NationalNumberRules = { countryCode: undefined, trunkPrefix: undefined };

/** Parses a caller's number. The value is undefined if the number is withheld. */
export function parseCallerNumberText(text: string): ParseResult<string | undefined> {
  if (isWithheldCallerText(text)) return { value: undefined };
  return /\p{Nd}/u.test(text)
    ? parsePhoneNumberText(text)
    : {
        expectation: "must be a phone number in E.164 format, such as +12223334444, or empty if the number is withheld",
      };
}

/**
 * Parses a phone number in a format that people and phone systems write: `+1 (222) 333-4444`, `tel:+12223334444`, `0012223334444`. Returns
 * text that is not a number unchanged: the service rejects it.
 *
 * @param rules the country of national numbers; without a country, they are invalid.
 */
export function parsePhoneNumberText(text: string, rules = NO_COUNTRY): ParseResult<string> {
  const plain = text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .replace(/\p{Pd}/gu, "-")
    .trim()
    // Removes the suffix that programs add if they store the number as a decimal.
    .replace(/^(\+?\d{7,15})\.0$/, "$1");
  const damage = describeSpreadsheetDamage(plain);
  if (damage !== undefined) return { expectation: damage };
  if (/\(0\)/.test(plain)) return { expectation: "must not contain (0): write the number as dialed from abroad" };
  const from = plain.replace(/^00\s*(?=[1-9])/, "+");
  // In a list of several numbers, it is unknown which number is meant.
  if (isNumberList(from, rules)) return { value: text };
  const caller = readCallerNumber({ from }, rules);
  if (caller.kind === "number") return { value: caller.number };
  return /^[\d\s()./-]{7,}$/.test(plain)
    ? {
        expectation:
          "must be a phone number in E.164 format: add the country code and the plus sign, which spreadsheets drop",
      }
    : { value: text };
}

/** Matches a number after a semicolon. The names of parameters, such as `;ext=5`, begin with a letter. */
const NEXT_NUMBER = /;\s*(?:(?:tel|sips?):)?[+(\d]/i;

/** Matches one or two digits that replace the last digits of the number before the slash, as in `+49 30 12345-67/68`. */
const NEXT_ENDING = /^([^@]*\d)\s*\/\s*\d{1,2}$/;

function isNumberList(text: string, rules: NationalNumberRules): boolean {
  const first = NEXT_ENDING.exec(text)?.[1];
  const hasNextEnding = first !== undefined && readCallerNumber({ from: first }, rules).kind === "number";
  return hasNextEnding || text.includes(",") || NEXT_NUMBER.test(text);
}
