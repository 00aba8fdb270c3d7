import { isIPv4 } from "node:net";
import { isWithheldCallerText, type NationalNumberRules } from "@calltrack/domain";
import { parsePhoneNumberText } from "../text/phone-number-text.js";
import { describeSpreadsheetDamage } from "../text/spreadsheet-damage.js";

/** How national numbers in a log are converted to E.164 format. */
export interface NationalNumberOptions {
  /** The country calling code, such as `49`. */
  readonly country?: string | undefined;
  readonly trunkPrefix?: string | undefined;
  /** Whether numbers begin with their country code, even without a plus sign. */
  readonly isInternational?: boolean;
}

export type CallLogPhoneNumber =
  | { readonly kind: "number"; readonly number: string }
  /** `internal`: an extension or a name. `withheld`: no number. `masked`: a number with hidden digits, such as `202555****`. */
  | { readonly kind: "internal" | "withheld" | "masked" }
  | { readonly kind: "unreadable"; readonly problem: string };

/** Matches signs in place of hidden digits: two or more at the start or after a digit or separator, or one after the last digit. */
const MASKED = /(?:^|[\d\s().+-])[*x•?]{2,}(?![a-z])|\d[*x•?]$/i;

const MAX_EXTENSION_DIGITS = 6;

/** The country codes whose national numbers begin with a 0 that is omitted in E.164 format. */
const COUNTRIES_WITH_ZERO = [
  20, 27, 31, 32, 33, 40, 41, 43, 44, 46, 49, 60, 61, 62, 63, 64, 66, 81, 82, 84, 86, 90, 91, 92, 94, 95, 98, 212, 213,
  216, 234, 254, 353, 355, 358, 359, 370, 380, 381, 382, 385, 386, 387, 389, 421, 966, 971, 972,
];

/** The prefix of national numbers that E.164 format omits, keyed by the country calling code. */
const TRUNK_PREFIXES: ReadonlyMap<string, string> = new Map([
  ["7", "8"],
  ["36", "06"],
  ...COUNTRIES_WITH_ZERO.map((country): [string, string] => [String(country), "0"]),
]);

/** The country codes whose national numbers never begin with a 0, or keep the 0 in E.164 format. */
const COUNTRIES_WITHOUT_PREFIX: readonly string[] = ["1", "39"];

/** Parses a number as phone systems write it: `+1 202-555-0100`, `"Shop" <0201234567>`, `Shop (800)` or a SIP URI. */
export function parseCallLogPhoneNumber(
  written: string,
  { country, trunkPrefix, isInternational }: NationalNumberOptions,
): CallLogPhoneNumber {
  const text = written.normalize("NFKC");
  const damage = describeSpreadsheetDamage(text);
  if (damage !== undefined) return { kind: "unreadable", problem: damage };
  if (text === "" || isWithheldCallerText(text)) return { kind: "withheld" };
  const from = ((/<([^<>]*)>/.exec(text) ?? /\(([+\d][^()]*)\)\s*$/.exec(text))?.[1] ?? text)
    // Removes an extension, as in RingCentral's `(218) 555-0001 * 101`.
    .replace(/(?<=\d)\s*(?:\*|x|ext\.?)\s*\d{1,6}$/i, "");
  if (MASKED.test(from)) return { kind: "masked" };
  if (isIPv4(from.replace(/^sips?:/i, ""))) return { kind: "unreadable", problem: NO_NUMBER };
  const digits = from.replace(/@.*/s, "").replace(/\D/g, "");
  if (/^0+$/.test(digits)) return { kind: "withheld" };
  if (digits.length <= MAX_EXTENSION_DIGITS) return { kind: "internal" };
  if (isInternational && /^[1-9]/.test(digits)) return parseCallLogPhoneNumber(`+${digits}`, {});
  const isNational = !from.includes("+") && !digits.startsWith("00");
  if (isNational && country === undefined)
    return { kind: "unreadable", problem: "is a national number: pass its country calling code with --country" };
  const prefix = trunkPrefix ?? TRUNK_PREFIXES.get(country ?? "");
  if (isNational && prefix === undefined && digits.startsWith("0") && !COUNTRIES_WITHOUT_PREFIX.includes(country ?? ""))
    return { kind: "unreadable", problem: `begins with 0: pass the prefix of national numbers with --trunk-prefix` };
  const rules: NationalNumberRules = { countryCode: country, trunkPrefix: prefix || undefined };
  const read = parsePhoneNumberText(from, rules);
  if ("expectation" in read) return { kind: "unreadable", problem: read.expectation };
  return /^\+\d+$/.test(read.value)
    ? { kind: "number", number: read.value }
    : { kind: "unreadable", problem: NO_NUMBER };
}

const NO_NUMBER = "is not a phone number: correct it";
