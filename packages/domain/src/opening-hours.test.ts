import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CallFlowSettingsSchema, SpecialDaySchema, Weekday } from "./gen/calltracking/v1/call_flow_pb.js";
import { determineOpeningState, isCalendarDate } from "./opening-hours.js";

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7] as const satisfies readonly Weekday[];

function hoursOf(
  timeZone: string,
  periods: readonly (readonly [days: readonly Weekday[], opens: string, closes: string])[],
  closedDates: string[] = [],
) {
  const hours = { timeZone, periods: periods.map(([days, opens, closes]) => ({ days: [...days], opens, closes })) };
  return create(CallFlowSettingsSchema, { hours, closedDates });
}

function isOpen(settings: Parameters<typeof determineOpeningState>[0], at: string): boolean {
  return determineOpeningState(settings, new Date(at)).isOpen;
}

test("a business without opening hours is always open", () => {
  expect(
    determineOpeningState(create(CallFlowSettingsSchema, { closedDates: ["2026-12-25"] }), new Date("2026-12-25")),
  ).toEqual({
    isOpen: true,
    description: "no opening hours are set, so the business is always open",
  });
});

describe("a weekly period", () => {
  const shop = hoursOf("Europe/Berlin", [[[Weekday.FRIDAY], "09:00", "18:00"]]);
  const bar = hoursOf("Europe/Berlin", [[[Weekday.FRIDAY], "20:00", "02:00"]]);
  const hotel = hoursOf("Europe/Berlin", [[[Weekday.FRIDAY], "00:00", "24:00"]]);
  const watch = hoursOf("Europe/Berlin", [[[Weekday.FRIDAY], "08:00", "08:00"]]);

  test.each([
    ["opens at its first minute", shop, "2026-12-04T09:00+01:00", true],
    ["is closed before", shop, "2026-12-04T08:59:59.999+01:00", false],
    ["is open in its last minute", shop, "2026-12-04T17:59:59.999+01:00", true],
    ["is closed at its end", shop, "2026-12-04T18:00+01:00", false],
    ["is closed on other days", shop, "2026-12-05T10:00+01:00", false],
    ["goes on past midnight", bar, "2026-12-05T01:59+01:00", true],
    ["ends on the next day", bar, "2026-12-05T02:00+01:00", false],
    ["does not begin in the night before", bar, "2026-12-04T01:00+01:00", false],
    ["lasts until 24:00", hotel, "2026-12-04T23:59+01:00", true],
    ["is over at midnight", hotel, "2026-12-05T00:00+01:00", false],
    ["begins at midnight", hotel, "2026-12-04T00:00+01:00", true],
    ["of equal times lasts a day", watch, "2026-12-05T07:59+01:00", true],
    ["of equal times ends after a day", watch, "2026-12-05T08:00+01:00", false],
  ])("%s", (_, settings, at, expected) => {
    expect(isOpen(settings, at)).toBe(expected);
  });

  test("of Sunday goes on into Monday", () => {
    expect(isOpen(hoursOf("UTC", [[[Weekday.SUNDAY], "22:00", "04:00"]]), "2026-12-07T03:59Z")).toBe(true);
  });
});

test.each([
  ["2026-12-25T10:00Z", false, "it is Friday 2026-12-25 10:00 in UTC, a closed date"],
  ["2026-12-26T01:00Z", false, "it is Saturday 2026-12-26 01:00 in UTC, outside the opening hours"],
  ["2026-12-25T01:00Z", true, "it is Friday 2026-12-25 01:00 in UTC, within the opening hours"],
  ["2026-12-27T01:00Z", true, "it is Sunday 2026-12-27 01:00 in UTC, within the opening hours"],
])("a closed date closes the periods that begin on it: %s", (at, expected, description) => {
  const settings = hoursOf("UTC", [[EVERY_DAY, "10:00", "02:00"]], ["2026-12-25"]);
  expect(determineOpeningState(settings, new Date(at))).toEqual({ isOpen: expected, description });
});

describe("a special day", () => {
  const shop = {
    ...hoursOf("UTC", [[EVERY_DAY, "10:00", "02:00"]]),
    specialDays: [
      specialDay("2026-12-24", ["09:00", "11:00"], ["12:00", "13:00"]),
      specialDay("2026-12-25"),
      specialDay("2026-12-31", ["20:00", "03:00"], ["00:00", "01:30"]),
      specialDay("2027-01-02", ["00:00", "24:00"]),
    ],
    closedDates: ["2027-01-01"],
  };

  test.each([
    [
      "replaces the weekly periods",
      "2026-12-24T09:00Z",
      true,
      "Thursday 2026-12-24 09:00 in UTC, within the hours of a special day",
    ],
    ["has breaks", "2026-12-24T11:00Z", false, "Thursday 2026-12-24 11:00 in UTC, outside the hours of a special day"],
    [
      "has its last period",
      "2026-12-24T12:59Z",
      true,
      "Thursday 2026-12-24 12:59 in UTC, within the hours of a special day",
    ],
    ["ends early", "2026-12-24T18:00Z", false, "Thursday 2026-12-24 18:00 in UTC, outside the hours of a special day"],
    ["keeps the night before", "2026-12-24T01:59Z", true, "Thursday 2026-12-24 01:59 in UTC, within the opening hours"],
    [
      "ends the night before",
      "2026-12-24T02:00Z",
      false,
      "Thursday 2026-12-24 02:00 in UTC, outside the hours of a special day",
    ],
    [
      "has no weekly night",
      "2026-12-25T01:00Z",
      false,
      "Friday 2026-12-25 01:00 in UTC, outside the hours of a special day",
    ],
    [
      "without periods is closed",
      "2026-12-25T12:00Z",
      false,
      "Friday 2026-12-25 12:00 in UTC, outside the hours of a special day",
    ],
    [
      "without periods has no night",
      "2026-12-26T01:00Z",
      false,
      "Saturday 2026-12-26 01:00 in UTC, outside the opening hours",
    ],
    [
      "has an early period",
      "2026-12-31T01:29Z",
      true,
      "Thursday 2026-12-31 01:29 in UTC, within the hours of a special day",
    ],
    [
      "goes on past midnight into a closed date",
      "2027-01-01T02:59Z",
      true,
      "Friday 2027-01-01 02:59 in UTC, within the hours of a special day",
    ],
    ["ends on the next day", "2027-01-01T03:00Z", false, "Friday 2027-01-01 03:00 in UTC, a closed date"],
    [
      "lasts until 24:00",
      "2027-01-02T23:59Z",
      true,
      "Saturday 2027-01-02 23:59 in UTC, within the hours of a special day",
    ],
    ["is over at midnight", "2027-01-03T00:00Z", false, "Sunday 2027-01-03 00:00 in UTC, outside the opening hours"],
  ])("%s", (_, at, expected, description) => {
    expect(determineOpeningState(shop, new Date(at))).toEqual({
      isOpen: expected,
      description: `it is ${description}`,
    });
  });

  function specialDay(date: string, ...periods: (readonly [opens: string, closes: string])[]) {
    return create(SpecialDaySchema, { date, periods: periods.map(([opens, closes]) => ({ opens, closes })) });
  }
});

describe("a change of the clocks", () => {
  test.each([
    [
      "a skipped opening time: open from the change",
      "Europe/Berlin",
      "02:30",
      "06:00",
      "2026-03-29T00:59Z",
      "2026-03-29T01:00Z",
    ],
    ["a repeated opening time", "Europe/Berlin", "02:30", "06:00", "2026-10-25T00:29Z", "2026-10-25T00:30Z"],
    ["a repeated opening time, again", "Europe/Berlin", "02:30", "06:00", "2026-10-25T01:29Z", "2026-10-25T01:30Z"],
    ["half an hour", "Australia/Lord_Howe", "01:45", "06:00", "2026-04-04T15:14Z", "2026-04-04T15:15Z"],
    ["45 minutes off the hour", "Pacific/Chatham", "03:00", "06:00", "2026-04-04T14:14Z", "2026-04-04T14:15Z"],
    ["a skipped midnight", "America/Havana", "00:30", "06:00", "2026-03-08T04:59Z", "2026-03-08T05:00Z"],
  ])("%s", (_, timeZone, opens, closes, closedAt, openAt) => {
    const settings = hoursOf(timeZone, [[EVERY_DAY, opens, closes]]);
    expect([isOpen(settings, closedAt), isOpen(settings, openAt)]).toEqual([false, true]);
  });

  test("a period within a skipped hour is left out", () => {
    const settings = hoursOf("Europe/Berlin", [[EVERY_DAY, "02:10", "02:50"]]);
    const minutes = Array.from({ length: 300 }, (_, minute) => new Date(Date.UTC(2026, 2, 28, 23, minute)));
    expect(minutes.some((at) => determineOpeningState(settings, at).isOpen)).toBe(false);
  });

  const zones = [
    "Europe/Berlin",
    "America/New_York",
    "America/Havana",
    "America/St_Johns",
    "Australia/Lord_Howe",
    "Pacific/Chatham",
    "Asia/Kathmandu",
    "Africa/Casablanca",
  ];
  const changes = new Map(zones.map((zone) => [zone, changesOf(zone)]));
  const time = fc.tuple(fc.nat(23), fc.constantFrom(0, 15, 30, 45, 59)).map(([hour, minute]) => clock(hour, minute));
  const period = fc.record({
    days: fc.subarray([...EVERY_DAY], { minLength: 1 }),
    opens: time,
    closes: fc.oneof(
      time.filter((each) => each !== "00:00"),
      fc.constant("24:00"),
    ),
  });

  test("agrees with the offset of the time zone at every minute around it", () => {
    const case_ = fc.constantFrom(...zones).chain((timeZone) =>
      fc.record({
        timeZone: fc.constant(timeZone),
        periods: fc.array(period, { minLength: 1, maxLength: 3 }),
        change: fc.constantFrom(...(changes.get(timeZone) ?? [])),
        minutes: fc.integer({ min: -2160, max: 2160 }),
        closedDay: fc.integer({ min: -2, max: 2 }),
        specialDays: fc.uniqueArray(
          fc.record({ day: fc.integer({ min: -2, max: 2 }), periods: fc.array(period, { maxLength: 2 }) }),
          {
            selector: ({ day }) => day,
            maxLength: 3,
          },
        ),
      }),
    );
    fc.assert(
      fc.property(case_, ({ timeZone, periods, change, minutes, closedDay, specialDays }) => {
        const at = change + minutes * 60_000;
        const dateAfter = (days: number) => new Date(change + days * 86_400_000).toISOString().slice(0, 10);
        const special = specialDays
          .filter(({ day }) => day !== closedDay)
          .map(({ day, periods }) => ({
            date: dateAfter(day),
            periods: periods.map(({ days: _, ...times }) => times),
          }));
        const closedDates = [dateAfter(closedDay)];
        const hours = { timeZone, periods };
        const settings = create(CallFlowSettingsSchema, { hours, closedDates, specialDays: special });
        const wall = Math.floor(at / 60_000) + offsetOf(timeZone, at);
        const expected = [0, 1].some((daysAgo) => {
          const day = Math.floor(wall / 1440) - daysAgo;
          const minute = wall - day * 1440;
          const date = new Date(day * 86_400_000).toISOString().slice(0, 10);
          if (closedDates.includes(date)) return false;
          // 1970-01-01 was a Thursday.
          const weekly = periods.filter(({ days }) => days.some((each) => each === ((day + 3) % 7) + 1));
          const ofDay = special.find((each) => each.date === date)?.periods ?? weekly;
          return ofDay.some(({ opens, closes }) => {
            const end = minutesOf(closes) + (minutesOf(closes) <= minutesOf(opens) ? 1440 : 0);
            return minute >= minutesOf(opens) && minute < end;
          });
        });
        expect(determineOpeningState(settings, new Date(at)).isOpen).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });
});

test.each([
  ["2026-12-25", true],
  ["2024-02-29", true],
  ["2026-02-29", false],
  ["2026-13-01", false],
  ["2026-1-1", false],
  ["2026-12-25T00:00", false],
  ["", false],
])("isCalendarDate: %s", (text, expected) => {
  expect(isCalendarDate(text)).toBe(expected);
});

/**
 * Returns when the clocks of a time zone change in 2026, with a precision of 15 minutes. Returns the middle of the year if the clocks never change.
 */
function changesOf(timeZone: string): readonly number[] {
  const days = Array.from({ length: 365 }, (_, day) => Date.UTC(2026, 0, 1 + day));
  const changes = days.flatMap((day) => {
    const times = Array.from({ length: 96 }, (_, quarter) => day + (quarter + 1) * 900_000);
    const isChange = (at: number) => offsetOf(timeZone, at) !== offsetOf(timeZone, day);
    return isChange(day + 86_400_000) ? [times.find(isChange) ?? day] : [];
  });
  return changes.length > 0 ? changes : [Date.UTC(2026, 6, 1)];
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns by how many minutes a time zone is ahead of UTC. */
function offsetOf(timeZone: string, at: number): number {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  formats.set(timeZone, format);
  const [, sign, hours = "0", minutes = "0"] = /GMT(?:([+-])(\d+):(\d+))?/.exec(format.format(at)) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  return hours * 60 + minutes;
}

function clock(hour: number, minute: number): string {
  return [hour, minute].map((each) => String(each).padStart(2, "0")).join(":");
}
