import { countryCodeOf } from "./country-code.js";
import { countryOf, numberTypeOf } from "./numbering-plan.js";

/** The numbers that a phone system may dial. */
export interface AllowedNumbers {
  /** The beginnings of these numbers, such as `+1`. Never empty: by default, the country codes of the phone system's numbers. */
  readonly allowedPrefixes: readonly string[];
  /**
   * The countries of the phone system's numbers, by ISO 3166, if the prefixes are the default ones. They bar some numbers in spite of
   * their prefix, see `barredNumberReason`. Undefined for prefixes that an operator has named, which allow every number.
   */
  readonly ownCountries: readonly string[] | undefined;
}

/** Returns the default for a phone system that has numbers: at least one for each combination of country code and country. */
export function defaultAllowedNumbers(numbers: readonly string[]): AllowedNumbers {
  return {
    allowedPrefixes: [...new Set(numbers.map((number) => `+${countryCodeOf(number)}`))],
    ownCountries: [...new Set(numbers.flatMap((number) => countryOf(number) ?? []))],
  };
}

/**
 * Returns why a number in E.164 format must not be dialed, as a clause for people; undefined if it may be. Only the default bars numbers of
 * other countries with the same country code, premium and shared-cost numbers, each as far as libphonenumber knows them.
 */
export function barredNumberReason(
  { allowedPrefixes, ownCountries }: AllowedNumbers,
  number: string,
): string | undefined {
  if (!allowedPrefixes.some((prefix) => number.startsWith(prefix))) return `it allows ${allowedPrefixes.join(", ")}`;
  const barred = ownCountries && describeBarred(number, ownCountries);
  return barred && `it is ${barred}, so one of the allowed_prefixes must name it`;
}

function describeBarred(number: string, ownCountries: readonly string[]): string | undefined {
  const type = numberTypeOf(number);
  if (type === undefined) return undefined;
  if (type === "PREMIUM_RATE") return "a premium number";
  if (type === "SHARED_COST") return "a shared-cost number";
  // libphonenumber names one of the countries that share them.
  if (type === "TOLL_FREE" || type === "PERSONAL_NUMBER") return undefined;
  const country = countryOf(number);
  if (country === undefined || ownCountries.includes(country)) return undefined;
  return `a number in ${COUNTRY_NAMES.of(country)}, where the phone system has none`;
}

const COUNTRY_NAMES = new Intl.DisplayNames("en", { type: "region" });
