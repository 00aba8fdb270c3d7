import { getCountries, getCountryCallingCode } from "libphonenumber-js/max";
import { expect, test } from "vitest";
import { COUNTRY_PREFIX_PATTERN, findCountryCode } from "./country-code.js";

test.each([
  ["+12223334444", "1"],
  ["+18765550100", "1"],
  ["+74955550100", "7"],
  ["+201001234567", "20"],
  ["+27215550100", "27"],
  ["+2125550100", "212"],
  ["+390655501000", "39"],
  ["+35315550100", "353"],
  ["+420255501000", "420"],
  ["+442079460000", "44"],
  ["+493055501000", "49"],
  ["+5075550100", "507"],
  ["+6805550100", "680"],
  ["+8005550100", "800"],
  ["+8615550100", "86"],
  ["+88215550100", "882"],
  ["+966115550100", "966"],
  ["+9855501000", "98"],
  ["+99255501000", "992"],
])("the country code of %s is %s", (phoneNumber, code) => {
  expect(findCountryCode(phoneNumber)).toBe(code);
});

test("COUNTRY_PREFIX_PATTERN matches more than the country code where countries share a code", () => {
  const codes = getCountries().map((country) => String(getCountryCallingCode(country)));
  const matched = codes.map((code) => new RegExp(COUNTRY_PREFIX_PATTERN).exec(`+${code}23456789`)?.[0].slice(1) ?? "");
  const shared = codes.filter((code, index) => codes.indexOf(code) !== index);
  expect(codes.filter((code, index) => matched[index] !== code).sort()).toEqual(
    codes.filter((code) => shared.includes(code)).sort(),
  );
});
