import { countryCodeOf } from "./country-code.js";
import { countryOf, numberTypeOf } from "./numbering-plan.js";

/** The numbers that a phone system may dial. */
export interface AllowedNumbers {
  /** The prefixes of these numbers, such as `+1`. Never empty: by default, the country codes of the phone system's numbers. */
  readonly allowedPrefixes: readonly string[];
  /**
   * The countries of the phone system's numbers, as ISO 3166 codes, if the default prefixes apply: `barredNumberReason` bars some numbers
   * with these prefixes. Undefined if an operator set the prefixes, which then allow every number that begins with one of them.
   */
  readonly ownCountries: readonly string[] | undefined;
}

/**
 * Returns the numbers that a phone system may dial by default.
 *
 * @param numbers at least one of the phone system's numbers for each combination of country code and country.
 */
export function defaultAllowedNumbers(numbers: readonly string[]): AllowedNumbers {
  return {
    allowedPrefixes: [...new Set(numbers.map((number) => `+${countryCodeOf(number)}`))],
    ownCountries: [...new Set(numbers.flatMap((number) => countryOf(number) ?? []))],
  };
}

/**
 * Returns why a number in E.164 format must not be dialed, as a human-readable clause; undefined if it may be dialed. If the default
 * prefixes apply, this bars premium numbers, shared-cost numbers, and numbers in other countries with the same country code, as far as
 * libphonenumber knows them.
 */
export function barredNumberReason(
  { allowedPrefixes, ownCountries }: AllowedNumbers,
  number: string,
): string | undefined {
  if (!allowedPrefixes.some((prefix) => number.startsWith(prefix)))
    return `it allows only numbers that begin with ${allowedPrefixes.join(", ")}`;
  const barred = ownCountries && describeBarred(number, ownCountries);
  return barred && `it is ${barred}, so its prefix must be in allowed_prefixes`;
}

function describeBarred(number: string, ownCountries: readonly string[]): string | undefined {
  const type = numberTypeOf(number);
  if (type === undefined) return undefined;
  if (type === "PREMIUM_RATE") return "a premium number";
  if (type === "SHARED_COST") return "a shared-cost number";
  // Countries share these numbers, and libphonenumber names only one of the countries.
  if (type === "TOLL_FREE" || type === "PERSONAL_NUMBER") return undefined;
  const country = countryOf(number);
  if (country === undefined || ownCountries.includes(country)) return undefined;
  return `a number in ${COUNTRY_NAMES.of(country)}, where the phone system has none`;
}

const COUNTRY_NAMES = new Intl.DisplayNames("en", { type: "region" });
