import parseNumber, { getCountries, getCountryCallingCode, type PhoneNumberType } from "libphonenumber-js/max";

// "Known" numbers are those that libphonenumber finds in the numbering plan of a country. Its data is as old as the package.

/** Reports whether a number in E.164 format is known. */
export function isKnownNumber(number: string): boolean {
  return read(number)?.isValid() ?? false;
}

/** Reports whether a number in E.164 format has a length that its country code allows. */
export function isPossibleNumber(number: string): boolean {
  return read(number)?.isPossible() ?? false;
}

/** Returns the type of a number in E.164 format; undefined if the number is not known. */
export function numberTypeOf(number: string): PhoneNumberType | undefined {
  return read(number)?.getType();
}

/**
 * Returns the country of a number in E.164 format, by ISO 3166. A number that is not known counts as one of the country that its country
 * code mainly belongs to. Undefined for country codes without a country, such as +883.
 */
export function countryOf(number: string): string | undefined {
  const parsed = read(number);
  return parsed?.country ?? parsed?.getPossibleCountries()[0];
}

/**
 * Returns the foreign number in E.164 format that digits dial from a country, by its own prefix of international calls: 00 in most, 010
 * in Japan. Undefined for other digits.
 */
export function readForeignNumber(digits: string, countryCode: string): string | undefined {
  const country = COUNTRIES.get(countryCode);
  const parsed = country && parseNumber(digits, { defaultCountry: country, extract: false });
  return parsed?.isPossible() && parsed.countryCallingCode !== countryCode ? parsed.number : undefined;
}

/** A country of each country code. Those that share one dial abroad in the same way. */
const COUNTRIES = new Map(getCountries().map((country) => [String(getCountryCallingCode(country)), country]));

function read(number: string) {
  return parseNumber(number, { extract: false });
}
