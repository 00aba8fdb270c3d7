import { describe, expect, test } from "vitest";
import { deriveDefaultAllowedNumbers, findBarredNumberReason } from "./allowed-numbers.js";

const AMERICAN = ["+12125550100"];
const CANADIAN = ["+14165550100"];
const BRITISH = ["+442079460100"];

const PREMIUM = "premium numbers may be dialed only if allowed_prefixes contains their prefix";
const SHARED = "shared-cost numbers may be dialed only if allowed_prefixes contains their prefix";
const inCountry = (country: string) =>
  `numbers in ${country}, where the phone system has no number, may be dialed only if allowed_prefixes contains their prefix`;

describe("by default, with numbers of", () => {
  test.each<[own: readonly string[], number: string, reason: string | undefined]>([
    [AMERICAN, "+12135550100", undefined],
    [AMERICAN, "+18005550100", undefined],
    [AMERICAN, "+12223334444", undefined],
    // Reports of callback fraud and toll fraud mention the countries of the following numbers.
    [AMERICAN, "+19002345678", PREMIUM],
    [AMERICAN, "+18092345678", inCountry("Dominican Republic")],
    [AMERICAN, "+18292345678", inCountry("Dominican Republic")],
    [AMERICAN, "+18762345678", inCountry("Jamaica")],
    [AMERICAN, "+12844964321", inCountry("British Virgin Islands")],
    [AMERICAN, "+12684601234", inCountry("Antigua & Barbuda")],
    [AMERICAN, "+14734031234", inCountry("Grenada")],
    [AMERICAN, "+16492311234", inCountry("Turks & Caicos Islands")],
    [AMERICAN, "+16644911234", inCountry("Montserrat")],
    [AMERICAN, "+17872345678", inCountry("Puerto Rico")],
    // A number range of Antigua for calls over the internet.
    [AMERICAN, "+12684801234", inCountry("Antigua & Barbuda")],
    [AMERICAN, "+14162345678", inCountry("Canada")],
    [AMERICAN, "+442079460100", "only numbers that begin with +1 may be dialed"],
    [CANADIAN, "+16042345678", undefined],
    [CANADIAN, "+18005550100", undefined],
    [CANADIAN, "+12122345678", inCountry("United States")],
    [[...AMERICAN, "+18762345678"], "+18765550100", undefined],
    [[...AMERICAN, "+18762345678"], "+18092345678", inCountry("Dominican Republic")],
    // A number that libphonenumber does not know counts as American because of its country code.
    [["+12225550142"], "+12125550100", undefined],
    [["+12225550142"], "+18762345678", inCountry("Jamaica")],
    [BRITISH, "+441632960123", undefined],
    [BRITISH, "+443301234567", undefined],
    [BRITISH, "+449012345678", PREMIUM],
    [BRITISH, "+448431234567", PREMIUM],
    [BRITISH, "+448451234567", PREMIUM],
    [BRITISH, "+447781123456", inCountry("Guernsey")],
    [BRITISH, "+441534123456", inCountry("Jersey")],
    [BRITISH, "+447624123456", inCountry("Isle of Man")],
    [["+4930123456"], "+4915112345678", undefined],
    [["+4930123456"], "+499001234567", PREMIUM],
    [["+4930123456"], "+491805123456", SHARED],
    [["+33123456789"], "+33892123456", PREMIUM],
    [["+33123456789"], "+33810123456", SHARED],
    [["+41446681800"], "+41900123456", PREMIUM],
    [["+41446681800"], "+41848123456", SHARED],
    [["+74951234567"], "+77012345678", inCountry("Kazakhstan")],
    [["+77012345678"], "+77172123456", undefined],
    [["+61291234567"], "+611900123456", PREMIUM],
    [["+61291234567"], "+611300123456", SHARED],
    [[...AMERICAN, ...BRITISH], "+441632960123", undefined],
    [["+883510012345"], "+883510054321", undefined],
  ])("%j, %s: %s", (own, number, reason) => {
    expect(findBarredNumberReason(deriveDefaultAllowedNumbers(own), number)).toBe(reason);
  });
});

test.each([
  ["+19002345678", ["+1"]],
  ["+18762345678", ["+1876"]],
  ["+491805123456", ["+43", "+49180"]],
])("an operator's prefix allows what it names: %s", (number, allowedPrefixes) => {
  expect(findBarredNumberReason({ allowedPrefixes, ownCountries: undefined }, number)).toBeUndefined();
});

test("a number outside an operator's prefixes is barred", () => {
  const allowed = { allowedPrefixes: ["+1876", "+49"], ownCountries: undefined };
  expect(findBarredNumberReason(allowed, "+12125550100")).toBe("only numbers that begin with +1876, +49 may be dialed");
});
