const E164 = /^\+[1-9][0-9]{6,14}$/;
const AREA_CODE = /^[0-9]{1,5}$/;

/**
 * The rule for phone numbers: E.164 format, `+` and 7 to 15 digits that do not begin with 0. Numbers need not exist in a numbering plan, so
 * that test numbers such as +12223334444 are valid.
 */
export function phoneNumberProblem(phoneNumber: string): string | undefined {
  return E164.test(phoneNumber) ? undefined : "must be a phone number in E.164 format, such as +12223334444";
}

/** The rule for area codes: 1 to 5 ASCII digits. */
export function areaCodeProblem(areaCode: string): string | undefined {
  return AREA_CODE.test(areaCode) ? undefined : "must be 1 to 5 digits";
}
