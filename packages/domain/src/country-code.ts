/**
 * Matches the plus sign and the country code of an E.164 number. No country code is a prefix of another one (ITU-T E.164, annex D). The syntax
 * is valid in PostgreSQL too, which prefers the longest alternative.
 */
export const COUNTRY_CODE_PATTERN =
  "^\\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|" +
  "(?:2[1-689]|3[578]|42|5[09]|6[7-9]|8[035789]|9[679])[0-9])";

/**
 * Matches the leading part of an E.164 number that determines the country: the country code and, where countries share a code, further digits. The
 * syntax is valid in PostgreSQL too.
 */
export const COUNTRY_PREFIX_PATTERN = `^\\+1[0-9]{3}|^\\+(?=7|39|44|47|61|212|262|290|358|590|599)[0-9]{7,8}|${COUNTRY_CODE_PATTERN.replace("(", "(?:")}`;

/** Returns the country code of a number in E.164 format, without the plus sign. Several countries can share a country code, such as `1`. */
export function findCountryCode(phoneNumber: string): string {
  const [, code] = new RegExp(COUNTRY_CODE_PATTERN).exec(phoneNumber) ?? [];
  if (code === undefined) throw new Error("the number is not in E.164 format");
  return code;
}
