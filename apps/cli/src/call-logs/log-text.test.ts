import { timestampDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { findTimeZone } from "../text/time-zone.js";
import { parseCallLogPhoneNumber } from "./log-number.js";
import { parseCallLogTime } from "./log-time.js";

const ADD_COUNTRY =
  "must be a phone number in E.164 format: add the country code and the plus sign, which spreadsheets drop";

test.each([
  ["030 1234567", "49", undefined, "+49301234567"],
  ["030/1234567", "49", undefined, "+49301234567"],
  ["0211 / 123456", "49", undefined, "+49211123456"],
  ["030 12345 / 78", "49", undefined, "is not a phone number: correct it"],
  ["0301234567; 0301234568", "49", undefined, "is not a phone number: correct it"],
  ["0049 30 1234567", "49", undefined, "+49301234567"],
  ["49301234567", "49", undefined, "+49301234567"],
  ["+1 (202) 555-0100", "49", undefined, "+12025550100"],
  ["(202) 555-0100", "1", undefined, "+12025550100"],
  ["(202) 555-0100 * 101", "1", undefined, "+12025550100"],
  ["+12025550100x101", "1", undefined, "+12025550100"],
  ["06 1234 5678", "39", undefined, "+390612345678"],
  ["8 495 123 45 67", "7", undefined, "+74951234567"],
  ["912345678", "34", undefined, "+34912345678"],
  ["0912345678", "34", "", ADD_COUNTRY],
  ['"Shop, Inc" <0301234567>', "49", undefined, "+49301234567"],
  ["Shop (0301234567)", "49", undefined, "+49301234567"],
  ["sip:+493012345678@pbx.example", undefined, undefined, "+493012345678"],
  ...[
    "Anonymous",
    "",
    "+266696687",
    "#N/A",
    "0",
    "00",
    "0000000000",
    "**********",
    "sip:anonymous@anonymous.invalid",
  ].map((text) => [text, "49", undefined, "withheld"]),
  ...[
    ...[
      "202555****",
      "202-555-XXXX",
      "+49 30 1234XXX",
      "****1234",
      "(202) ***-0100",
      "+1202555\u2022\u2022\u2022\u2022",
    ],
    ...["030 12345xx", "Anna <030123**>", "+123 456789***", "1234XXX", "20255501**", "+4930123456X", "049301234???"],
  ].map((text) => [text, "49", undefined, "masked"]),
  ["Maxx Foxx (0301234567)", "49", undefined, "+49301234567"],
  ...["101", "Anna (101)", "s", "*97", "Ext.101"].map((text) => [text, "49", undefined, "internal"]),
  ["0301234567", undefined, undefined, "is a national number: pass its country calling code with --country"],
  ["0912345678", "34", undefined, "begins with 0: pass the prefix of national numbers with --trunk-prefix"],
  ["+49 (0)30 1234567", "49", undefined, "must not contain (0): write the number as dialed from abroad"],
  ["４９３０１２３４５６７", "49", undefined, "+49301234567"],
  ["+49301234567.0", "49", undefined, "+49301234567"],
  ["192.168.1.100", "49", undefined, "is not a phone number: correct it"],
  ["sip:192.168.1.100", "49", undefined, "is not a phone number: correct it"],
  ...["#ERROR!", "#NAME?", "#WERT!", "######", "Err:508"].map((text) => [
    text,
    "49",
    undefined,
    "is a spreadsheet error: format the column as text, and enter or export the value again",
  ]),
  ["+x 12345678", "1", undefined, "is not a phone number: correct it"],
  ["442079460100", "49", undefined, "+442079460100"],
  ["30123456", "49", undefined, ADD_COUNTRY],
  ["34945945945", "34", undefined, "+34945945945"],
  ["442079460100", "34", undefined, ADD_COUNTRY],
  ["01014155550100", "81", undefined, "+14155550100"],
] as [string, string | undefined, string | undefined, string][])(
  "reads the number %j with country %s and prefix %j as %s",
  (text, country, trunkPrefix, expected) => {
    const read = parseCallLogPhoneNumber(text, { country, trunkPrefix });
    const found = read.kind === "number" ? read.number : read.kind === "unreadable" ? read.problem : read.kind;
    expect(found).toBe(expected);
  },
);

const UNKNOWN_TIME = expect.stringMatching(
  /^must be a time such as 2026-11-21 08:30:00\+01, 21\.11\.26 8:30, .*, 20261121083000, or the number of seconds, milliseconds or microseconds since 1970$/,
);

test.each([
  ["2026-11-21 09:30:00", undefined, "08:30:00.000"],
  ["1795249800", undefined, "08:30:00.000"],
  ["1795249800.25", undefined, "08:30:00.250"],
  ["1795249800250", undefined, "08:30:00.250"],
  ["1795249800250999", undefined, "08:30:00.250"],
  ["2026-11-21 08:30:00+00", undefined, "08:30:00.000"],
  ["2026-11-21 03:30:00.25-05", undefined, "08:30:00.250"],
  ["2026-11-21T09:30:00,25", undefined, "08:30:00.250"],
  ["21.11.26 9:30", undefined, "08:30:00.000"],
  ["11/21/26 9:30 AM", undefined, "08:30:00.000"],
  ["21-11-26 09:30", undefined, "08:30:00.000"],
  ["11/12/26 09:30", undefined, "has a day and a month in an unknown order: set date_order with --mapping"],
  ["21/11/26 09:30", "month-first", "is not a month-first date: correct the date, or set date_order with --mapping"],
  ["Nov 21, 2026, 9:30:00 AM", undefined, "08:30:00.000"],
  ["Nov 21, 2026, 9:30:00\u202fPM", undefined, "20:30:00.000"],
  ["November 21, 2026 9:30 AM", undefined, "08:30:00.000"],
  ["Sat Nov 21 2026 09:30:00 GMT+0100", undefined, "08:30:00.000"],
  ["21 November 2026, 09:30", undefined, "08:30:00.000"],
  ["Novem 21, 2026, 9:30:00 AM", undefined, "08:30:00.000"],
  ["Nope 21, 2026, 9:30:00 AM", undefined, UNKNOWN_TIME],
  ["20261121093000", undefined, "08:30:00.000"],
  ["20261121T083000Z", undefined, "08:30:00.000"],
  ["20261121 093000.5", undefined, "08:30:00.500"],
  ["20261321093000", undefined, UNKNOWN_TIME],
  ["179524980", undefined, UNKNOWN_TIME],
  ["46347.35", undefined, UNKNOWN_TIME],
  ["2026-11-21T09:30:00.25", undefined, "08:30:00.250"],
  ["2026/11/21 09:30:00", undefined, "08:30:00.000"],
  ["2026-11-21 09:30:00 +0100", undefined, "08:30:00.000"],
  ["Sat, 21 Nov 2026 03:30:00 EST", undefined, "08:30:00.000"],
  ["01:30:00 PDT 2026-11-21", undefined, "08:30:00.000"],
  ["08:30:00 UTC 2026-11-21", undefined, "08:30:00.000"],
  ["2026-11-21 09:30:00 IST", undefined, UNKNOWN_TIME],
  ["Sat, 21 Nov 2026 08:30:00 GMT", undefined, "08:30:00.000"],
  ["21.11.2026 9:30", undefined, "08:30:00.000"],
  ["Sat 11/21/2026 9:30 AM", "month-first", "08:30:00.000"],
  ["11/21/2026, 12:30:00 PM", "month-first", "11:30:00.000"],
  ["21/11/2026 12:30 am", "day-first", "23:30:00.000"],
  ["11/12/2026 09:30", undefined, "has a day and a month in an unknown order: set date_order with --mapping"],
  ["11/21/2026 09:30", undefined, "08:30:00.000"],
  ["21-11-2026 09:30", undefined, "08:30:00.000"],
  ["11/11/2026 09:30", undefined, "08:30:00.000"],
  ["21/11/2026 09:30", "month-first", "is not a month-first date: correct the date, or set date_order with --mapping"],
  ["11/12/2026 09:30:00.5", undefined, "has a day and a month in an unknown order: set date_order with --mapping"],
  ["5/05/2026 09:30", undefined, "08:30:00.000"],
  ["21/22/2026 09:30", "month-first", UNKNOWN_TIME],
  ["2026-11-21 9:30 a.m.", undefined, "08:30:00.000"],
  ["2026-11-21 8:30 P. M.", undefined, "19:30:00.000"],
  ["2026-11-21 13:30 AM", undefined, UNKNOWN_TIME],
  ["21-Nov-2026 09:30", undefined, "08:30:00.000"],
  ["21 Foo 2026 09:30:00", undefined, UNKNOWN_TIME],
  ["2026-02-30 09:30:00", undefined, UNKNOWN_TIME],
] as const)("reads the time %j, %s, as %s", (text, dateOrder, expected) => {
  const read = parseCallLogTime(text, { timeZone: findTimeZone("Africa/Algiers"), dateOrder });
  const found = "value" in read ? timestampDate(read.value).toISOString().slice(11, -1) : read.expectation;
  expect(found).toEqual(expected);
});
