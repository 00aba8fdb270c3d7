import parseNumber, { getCountries, getCountryCallingCode, type PhoneNumberType } from "libphonenumber-js/max";

// Known numbers are those in the numbering plans of libphonenumber. Its data is as old as the installed package.

export function isKnownNumber(number: string): boolean {
  return read(number)?.isValid() ?? false;
}

/** Reports whether the length of a number in E.164 format is possible for its country code. */
export function isPossibleNumber(number: string): boolean {
  return read(number)?.isPossible() ?? false;
}

/** Returns the type of a number in E.164 format; undefined if the number is not known. */
export function numberTypeOf(number: string): PhoneNumberType | undefined {
  return read(number)?.getType();
}

/**
 * Returns the country of a number in E.164 format, as an ISO 3166 code. For an unknown number, this is the main country of its country code.
 * Undefined for country codes without a country, such as +883.
 */
export function countryOf(number: string): string | undefined {
  const parsed = read(number);
  return parsed?.country ?? parsed?.getPossibleCountries()[0];
}

/**
 * Returns the foreign number, in E.164 format, that the digits dial from a country, with its prefix for international calls: 00 in most
 * countries, 010 in Japan. Undefined for other digits.
 */
export function readForeignNumber(digits: string, countryCode: string): string | undefined {
  const country = COUNTRIES.get(countryCode);
  const parsed = country && parseNumber(digits, { defaultCountry: country, extract: false });
  return parsed?.isPossible() && parsed.countryCallingCode !== countryCode ? parsed.number : undefined;
}

/** One country for each country code. Countries that share a code have the same prefix for international calls. */
const COUNTRIES = new Map(getCountries().map((country) => [String(getCountryCallingCode(country)), country]));

function read(number: string) {
  return parseNumber(number, { extract: false });
}
