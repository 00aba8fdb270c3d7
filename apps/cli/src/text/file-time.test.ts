import { timestampDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { parseImportedTime } from "./file-time.js";
import { findTimeZone } from "./time-zone.js";

function read(text: string, zone?: string): string {
  const result = parseImportedTime(text, zone === undefined ? undefined : findTimeZone(zone));
  return "value" in result ? timestampDate(result.value).toISOString() : result.expectation;
}

describe("a time with an offset", () => {
  test.each([
    ["2026-11-21T08:30:00.5Z", "2026-11-21T08:30:00.500Z"],
    ["2026-11-21 08:30:00Z", "2026-11-21T08:30:00.000Z"],
    ["2026-11-21 08:30:00 UTC", "2026-11-21T08:30:00.000Z"],
    ["2026-11-21 08:30:00 +0100", "2026-11-21T07:30:00.000Z"],
    [" 2026-11-21 08:30-05:30 ", "2026-11-21T14:00:00.000Z"],
  ])("is read from %j, whatever the time zone", (text, iso) => {
    expect([read(text), read(text, "Europe/Berlin")]).toStrictEqual([iso, iso]);
  });
});

describe("a local time", () => {
  test.each([
    ["2026-11-21 08:30:00", "Europe/Berlin", "2026-11-21T07:30:00.000Z"],
    ["2026-07-21T08:30:00.25", "Europe/Berlin", "2026-07-21T06:30:00.250Z"],
    ["2026-11-21 08:30", "America/New_York", "2026-11-21T13:30:00.000Z"],
    ["2026-11-21 08:30:00", "Asia/Kathmandu", "2026-11-21T02:45:00.000Z"],
    ["2026-11-21 08:30:00", "Pacific/Kiritimati", "2026-11-20T18:30:00.000Z"],
    ["2026-11-21 08:30:00", "UTC", "2026-11-21T08:30:00.000Z"],
    ["2026-03-29 01:59:59", "Europe/Berlin", "2026-03-29T00:59:59.000Z"],
    ["2026-03-29 03:00:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z"],
    ["2026-10-25 01:59:59", "Europe/Berlin", "2026-10-24T23:59:59.000Z"],
    ["2026-10-25 03:00:00", "Europe/Berlin", "2026-10-25T02:00:00.000Z"],
    ["2026-04-05 01:29:59", "Australia/Lord_Howe", "2026-04-04T14:29:59.000Z"],
  ])("%s in %s is %s", (text, zone, iso) => {
    expect(read(text, zone)).toBe(iso);
  });

  test("needs a time zone", () => {
    expect(read("2026-11-21 08:30:00")).toMatch(
      /^must have an offset from UTC: add one, such as \+02:00, or pass --time-zone/,
    );
  });

  test.each([
    [
      "2026-03-29 02:30:00",
      "Europe/Berlin",
      "does not exist in Europe/Berlin, because clocks were set forward: correct it",
    ],
    [
      "2011-12-30 12:00:00",
      "Pacific/Apia",
      "does not exist in Pacific/Apia, because clocks were set forward: correct it",
    ],
    [
      "2026-10-25 02:30:00",
      "Europe/Berlin",
      "occurs twice in Europe/Berlin, because clocks were set back: write 2026-10-25T02:30:00+02:00 or 2026-10-25T02:30:00+01:00",
    ],
    [
      "2026-11-01 01:00",
      "America/New_York",
      "occurs twice in America/New_York, because clocks were set back: write 2026-11-01T01:00:00-04:00 or 2026-11-01T01:00:00-05:00",
    ],
  ])("%s in %s is refused", (text, zone, expectation) => {
    expect(read(text, zone)).toBe(expectation);
  });
});

test.each(["2027-02-30 08:30:00", "2026-11-21 25:00:00", "2026-11-21 24:00:00", "2026-11-21", "21.11.2026 08:30"])(
  "%s is not a time",
  (text) => {
    expect(read(text, "Europe/Berlin")).toBe("must be a time such as 2026-11-21T08:30:00Z");
  },
);

test.each(["Europe/Atlantis", ""])("%j is not a time zone", (name) => {
  expect(findTimeZone(name)).toBeUndefined();
});
