import { expect, test } from "vitest";
import { parseCallerNumberText, parsePhoneNumberText } from "./phone-number-text.js";

test.each([
  ["+12223334444", "+12223334444"],
  [" +1 (222) 333-4444 ", "+12223334444"],
  ["+1\u00a0222\u202f333\u20114444", "+12223334444"],
  ["\u202a+1 222 333 4444\u202c", "+12223334444"],
  ["＋１２２２３３３４４４４", "+12223334444"],
  ["0012223334444", "+12223334444"],
  ["00 49 30 123456", "+4930123456"],
  ["tel:+1-222-333-4444", "+12223334444"],
  ["sip:+12223334444@pbx.example;user=phone", "+12223334444"],
  ["+12223334444;ext=5", "+12223334444"],
  ["tel:+12223334444;phone-context=+1;ext=5", "+12223334444"],
  ["sip:+12223334444;npdi=yes@pbx.example", "+12223334444"],
  ["<sip:+12223334444@pbx.example>;tag=12225550199", "+12223334444"],
  ["+49 211 / 123456", "+49211123456"],
  ["+49/30/123456", "+4930123456"],
  ["sip:%2B12223334444@pbx.example", "+12223334444"],
  ['"Shop" <+12223334444>', "+12223334444"],
  ["shop", "shop"],
  ["+1222333CALL", "+1222333CALL"],
  ["112", "112"],
  ["+12223334444, +12223335555", "+12223334444, +12223335555"],
  ["+12223334444; +12223335555", "+12223334444; +12223335555"],
  ["+493012345 / 78", "+493012345 / 78"],
  ["+49 30 12345-67/68", "+49 30 12345-67/68"],
  ["+12223334444;0222 3335555", "+12223334444;0222 3335555"],
  ["tel:+12223334444;(222) 333-5555", "tel:+12223334444;(222) 333-5555"],
  ["anonymous", "anonymous"],
])("reads %j as %s", (text, value) => {
  expect(parsePhoneNumberText(text)).toStrictEqual({ value });
});

test.each([
  ["12223334444", "add the country code and the plus sign"],
  ["(222) 333-4444", "add the country code and the plus sign"],
  ["030 123456", "add the country code and the plus sign"],
  ["01112223334444", "add the country code and the plus sign"],
  ["1.22233E+10", "lost digits in a spreadsheet: format the column as text"],
  ["1,22233E+10", "lost digits in a spreadsheet: format the column as text"],
  ["+49 (0)30 123456", "must not contain (0)"],
])("rejects %j", (text, expectation) => {
  expect(parsePhoneNumberText(text)).toStrictEqual({ expectation: expect.stringContaining(expectation) });
});

test.each([
  ...["Anonymous", "UNKNOWN", "Private Number", "+266696687", "-", "  ", "sip:anonymous@anonymous.invalid"],
  ...["#N/A", "—", "…", "(unknown)", "Caller ID Blocked", "Unterdrückt", "Rufnummer unterdrückt", "Privé"],
  ...["Número oculto", "Numéro masqué", "Sconosciuto", "Onbekend", "Неизвестный", "非通知", "Prive\u0301"],
])("reads the withheld caller %j as absent", (text) => {
  expect(parseCallerNumberText(text)).toStrictEqual({ value: undefined });
});

test("says that a withheld caller is an empty cell", () => {
  expect(parseCallerNumberText("shop")).toStrictEqual({
    expectation: expect.stringContaining("or empty if the number is withheld"),
  });
});
