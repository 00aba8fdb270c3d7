import { isWithheldCaller, type NumberRules, readCaller } from "@calltrack/domain";
import type { ReadResult } from "./read-result.js";
import { spreadsheetDamage } from "./spreadsheet-damage.js";

const NO_COUNTRY: NumberRules = { countryCode: undefined, trunkPrefix: undefined };

/** Reads a caller's number. The value is undefined if the number is withheld. */
export function readCallerNumber(text: string): ReadResult<string | undefined> {
  if (isWithheldCaller(text)) return { value: undefined };
  return /\p{Nd}/u.test(text)
    ? readPhoneNumber(text)
    : { expectation: "must be a phone number in E.164 format, such as +12223334444, or empty if it is withheld" };
}

/**
 * Reads a phone number as people and phone systems write it: `+1 (222) 333-4444`, `tel:+12223334444`, `0012223334444`. Returns text that is
 * not a number unchanged: the service rejects it.
 *
 * @param rules the country of national numbers; without a country, they are invalid.
 */
export function readPhoneNumber(text: string, rules = NO_COUNTRY): ReadResult<string> {
  const plain = text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .replace(/\p{Pd}/gu, "-")
    .trim()
    // Programs that store the number as a decimal add this suffix.
    .replace(/^(\+?\d{7,15})\.0$/, "$1");
  const damage = spreadsheetDamage(plain);
  if (damage !== undefined) return { expectation: damage };
  if (/\(0\)/.test(plain)) return { expectation: "must not contain (0): write the number as dialed from abroad" };
  const from = plain.replace(/^00\s*(?=[1-9])/, "+");
  // It is unknown which of several numbers is meant.
  const caller = from.includes(",") ? undefined : readCaller({ from }, rules);
  if (caller?.kind === "number") return { value: caller.number };
  return /^[\d\s()./-]{7,}$/.test(plain)
    ? {
        expectation:
          "must be a phone number in E.164 format: add the country code and the plus sign, which spreadsheets drop",
      }
    : { value: text };
}
