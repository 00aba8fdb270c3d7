import { findCountryCode } from "./country-code.js";
import { findPhoneNumberCountry, findPhoneNumberType } from "./numbering-plan.js";

/** The phone numbers that a phone system may dial. */
export interface AllowedNumbers {
  /** The prefixes of the allowed numbers, such as `+1`. Never empty: by default, the country codes of the phone system's own numbers. */
  readonly allowedPrefixes: readonly string[];
  /**
   * The countries of the phone system's own numbers, as ISO 3166 codes, if `allowedPrefixes` is the default. `findBarredNumberReason` then
   * bars some numbers with these prefixes. Undefined if an operator set the prefixes, which allow every number that begins with one of them.
   */
  readonly ownCountries: readonly string[] | undefined;
}

/**
 * Finds the numbers that a phone system may dial if no operator set its `allowed_prefixes`.
 *
 * @param numbers at least one of the phone system's own numbers for each combination of country code and country.
 */
export function deriveDefaultAllowedNumbers(numbers: readonly string[]): AllowedNumbers {
  return {
    allowedPrefixes: [...new Set(numbers.map((number) => `+${findCountryCode(number)}`))],
    ownCountries: [...new Set(numbers.flatMap((number) => findPhoneNumberCountry(number) ?? []))],
  };
}

/**
 * Returns why a number in E.164 format must not be dialed, as a human-readable clause; undefined if it may be dialed. With the default
 * prefixes, bars premium and shared-cost numbers, and numbers in other countries with the same country code, as far as libphonenumber
 * knows them.
 */
export function findBarredNumberReason(
  { allowedPrefixes, ownCountries }: AllowedNumbers,
  number: string,
): string | undefined {
  if (!allowedPrefixes.some((prefix) => number.startsWith(prefix)))
    return `only numbers that begin with ${allowedPrefixes.join(", ")} may be dialed`;
  const barred = ownCountries && describeBarredNumbers(number, ownCountries);
  return barred && `${barred} may be dialed only if allowed_prefixes contains their prefix`;
}

function describeBarredNumbers(number: string, ownCountries: readonly string[]): string | undefined {
  const type = findPhoneNumberType(number);
  if (type === undefined) return undefined;
  if (type === "PREMIUM_RATE") return "premium numbers";
  if (type === "SHARED_COST") return "shared-cost numbers";
  // Several countries share toll-free and personal numbers, and libphonenumber names only one of the countries.
  if (type === "TOLL_FREE" || type === "PERSONAL_NUMBER") return undefined;
  const country = findPhoneNumberCountry(number);
  if (country === undefined || ownCountries.includes(country)) return undefined;
  return `numbers in ${COUNTRY_NAMES.of(country)}, where the phone system has no number,`;
}

const COUNTRY_NAMES = new Intl.DisplayNames("en", { type: "region" });
