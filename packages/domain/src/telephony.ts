const E164 = /^\+[1-9][0-9]{6,14}$/;
const AREA_CODE = /^[0-9]{1,5}$/;

/**
 * The rule for phone numbers: E.164 format, which is `+` and 7 to 15 digits that do not begin with 0. A number need not exist in a numbering
 * plan, so test numbers such as +12223334444 are valid.
 */
export function findPhoneNumberProblem(phoneNumber: string): string | undefined {
  return E164.test(phoneNumber) ? undefined : "must be a phone number in E.164 format, such as +12223334444";
}

/** The rule for area codes: 1 to 5 ASCII digits. */
export function findAreaCodeProblem(areaCode: string): string | undefined {
  return AREA_CODE.test(areaCode) ? undefined : "must be 1 to 5 digits";
}
