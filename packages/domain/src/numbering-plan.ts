import parseNumber, { getCountries, getCountryCallingCode, type PhoneNumberType } from "libphonenumber-js/max";

/** Reports whether a numbering plan of libphonenumber contains a number in E.164 format. The plans are as old as the installed package. */
export function isInNumberingPlan(number: string): boolean {
  return read(number)?.isValid() ?? false;
}

/** Reports whether the length of a number in E.164 format is possible for its country code. */
export function isPossiblePhoneNumber(number: string): boolean {
  return read(number)?.isPossible() ?? false;
}

/** Returns the type of a number in E.164 format, such as `TOLL_FREE`; undefined for an unknown number. */
export function findPhoneNumberType(number: string): PhoneNumberType | undefined {
  return read(number)?.getType();
}

/**
 * Returns the country of a number in E.164 format, as an ISO 3166 code. For an unknown number, returns the main country of its country code.
 * Returns undefined for a country code without a country, such as +883.
 */
export function findPhoneNumberCountry(number: string): string | undefined {
  const parsed = read(number);
  return parsed?.country ?? parsed?.getPossibleCountries()[0];
}

/**
 * Returns in E.164 format the foreign number that the digits dial from a country. The digits must begin with the country's prefix for international
 * calls: 00 in most countries, 010 in Japan. Returns undefined for other digits.
 */
export function readForeignPhoneNumber(digits: string, countryCode: string): string | undefined {
  const country = COUNTRIES.get(countryCode);
  const parsed = country && parseNumber(digits, { defaultCountry: country, extract: false });
  return parsed?.isPossible() && parsed.countryCallingCode !== countryCode ? parsed.number : undefined;
}

/**
 * One country for each country code, keyed by the code. Any country with the code would do, because countries with the same code have the same prefix
 * for international calls.
 */
const COUNTRIES = new Map(getCountries().map((country) => [String(getCountryCallingCode(country)), country]));

function read(number: string) {
  return parseNumber(number, { extract: false });
}
