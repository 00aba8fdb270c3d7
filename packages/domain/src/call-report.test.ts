import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  buildCallReportRows,
  type CallGroupTotals,
  type CallReportGroup,
  type CallReportGroupField,
  findReportVisitDays,
  parseReportCallsRequest,
  type UtcDayRange,
} from "./call-report.js";
import { CallGrouping, ReportCallsRequestSchema } from "./gen/calltracking/v1/call_pb.js";
import { invalidFields } from "./testing/broken-request.js";

const totals = (
  group: CallReportGroup,
  calls: number,
  answered = 0,
  totalSeconds = 0,
  timed = answered,
): CallGroupTotals => ({
  ...{ group, calls, answered, missed: calls - answered, abandoned: 0, unknown: 0, voicemail: 0, firstCalls: 0 },
  ...{ timed, totalSeconds },
});

const NOVEMBER: UtcDayRange = { from: new Date("2026-11-01"), to: new Date("2026-12-01") };

test("computes averages, and omits those with a divisor of zero", () => {
  const google = totals({ source: "google" }, 4, 3, 100, 2);
  const rows = buildCallReportRows([google, totals({ source: "bing" }, 5, 1, 0, 0)], {
    days: NOVEMBER,
    totals: [
      { group: { source: "google" }, visits: 200 },
      { group: { source: "yahoo" }, visits: 7 },
      { group: {}, visits: 3 },
    ],
  });
  expect(rows.map((row) => [row.source, row.calls, row.averageSeconds, row.visits, row.callsPer100Visits])).toEqual([
    ["bing", 5, undefined, 0n, undefined],
    ["google", 4, 50, 200n, 2],
    ["yahoo", 0, undefined, 7n, 0],
    [undefined, 0, undefined, 3n, 0],
  ]);
  expect(buildCallReportRows([totals({}, 1)], undefined)[0]).not.toHaveProperty("visits");
});

test("sorts rows by day, hour and descending number of calls", () => {
  const groups = [
    { day: "2026-11-02", hour: 3 },
    { day: "2026-11-01", hour: 9, source: "a" },
    { day: "2026-11-01", hour: 9, source: "b" },
    { day: "2026-11-01", hour: 0 },
  ];
  const rows = buildCallReportRows(
    groups.map((group, index) => totals(group, index + 1)),
    undefined,
  );
  expect(rows.map(({ day, hour, calls }) => [day, hour, calls])).toEqual([
    ["2026-11-01", 0, 4],
    ["2026-11-01", 9, 3],
    ["2026-11-01", 9, 2],
    ["2026-11-02", 3, 1],
  ]);
});

test("the sums over the rows equal the sums over the given calls and visits", () => {
  const group = fc.record({ source: fc.constantFrom("a", "b", "c"), day: fc.constantFrom("2026-11-01", "2026-11-02") });
  const byGroup = { selector: (each: { readonly group: CallReportGroup }) => JSON.stringify(each.group) };
  const calls = fc.uniqueArray(
    fc.record({ group, calls: fc.nat(), answered: fc.nat(), totalSeconds: fc.nat() }),
    byGroup,
  );
  const visits = fc.uniqueArray(fc.record({ group, visits: fc.nat() }), byGroup);
  fc.assert(
    fc.property(calls, visits, (given, seen) => {
      const rows = buildCallReportRows(
        given.map((each) => ({ ...totals(each.group, each.calls), ...each })),
        { days: NOVEMBER, totals: seen },
      );
      const sum = (values: readonly (number | bigint | undefined)[]) =>
        values.reduce<number>((all, value) => all + Number(value ?? 0), 0);
      expect(sum(rows.map((row) => row.calls))).toBe(sum(given.map((each) => each.calls)));
      expect(sum(rows.map((row) => row.totalSeconds))).toBe(sum(given.map((each) => each.totalSeconds)));
      expect(sum(rows.map((row) => row.visits))).toBe(sum(seen.map((each) => each.visits)));
      expect(new Set(rows.map(({ source, day }) => `${source} ${day}`)).size).toBe(rows.length);
    }),
  );
});

test("omits the visits of days for which none are counted", () => {
  const days = ["2026-10-31", "2026-11-01", "2026-11-30", "2026-12-01"];
  const visits = { days: NOVEMBER, totals: [{ group: { day: "2026-11-30" }, visits: 5 }] };
  const rows = buildCallReportRows(
    days.map((day) => totals({ day }, 1)),
    visits,
  );
  expect(rows.map((row) => row.visits)).toEqual([undefined, 0n, 5n, undefined]);
});

test("rejects a report with more than 10000 rows", () => {
  const rows = (count: number) => Array.from({ length: count }, (_, hour) => totals({ hour }, 1));
  expect(buildCallReportRows(rows(10_000), undefined)).toHaveLength(10_000);
  expect(invalidFields(() => buildCallReportRows(rows(10_001), undefined))).toEqual(["group_by"]);
  const visits = { days: NOVEMBER, totals: [{ group: { source: "a" }, visits: 1 }] };
  expect(invalidFields(() => buildCallReportRows(rows(10_000), visits))).toEqual(["group_by"]);
});

const NOW = new Date("2026-11-21T08:30:00.000Z");

const WINDOW = ["2026-10-23", "2026-11-22"] as const;

test.each([
  [["2026-11-21", "2026-11-22"], "2026-11-21", "2026-11-22", [], "UTC"],
  [["2026-11-21", "2026-11-22"], "2026-11-21", undefined, [], "UTC"],
  [WINDOW, "2026-10-23", "2026-11-22", ["source", "medium", "propertyToken", "day"], "UTC"],
  [undefined, "2026-10-22", "2026-11-22", [], "UTC"],
  [undefined, "2026-11-21", "2026-11-23", [], "UTC"],
  [undefined, "2026-11-21T01:00:00Z", "2026-11-22", [], "UTC"],
  [undefined, "2026-11-20", "2026-11-21T12:00:00Z", [], "UTC"],
  [undefined, "2026-11-21", "2026-11-22", [], "Europe/Berlin"],
  [undefined, "2026-11-21", "2026-11-22", ["source", "hour"], "UTC"],
  [undefined, "2026-11-21", "2026-11-22", ["poolId"], "UTC"],
  [undefined, "2026-11-21", "2026-11-22", ["trackingNumber"], "UTC"],
  [undefined, undefined, "2026-11-22", [], "UTC"],
  [undefined, "2026-11-21", "2026-11-21", ["day"], "UTC"],
  [WINDOW, undefined, undefined, ["day"], "UTC"],
  [WINDOW, "2026-01-01", "2027-01-01", ["source", "day"], "UTC"],
  [["2026-11-19", "2026-11-22"], "2026-11-18T08:30:00Z", undefined, ["day"], "UTC"],
  [["2026-11-18", "2026-11-21"], "2026-11-18", "2026-11-21T08:30:00Z", ["day"], "UTC"],
  [undefined, "2026-11-20T01:00:00Z", "2026-11-21T23:00:00Z", ["day"], "UTC"],
  [undefined, undefined, undefined, ["day", "hour"], "UTC"],
] as const)("counts visits of the days %j from %s to %s, grouped by %j, in %s", (days, from, to, groupBy, timeZone) => {
  const [start, end] = [from && new Date(from), to && new Date(to)];
  const report = { from: start, to: end, timeZone, groupBy: new Set<CallReportGroupField>(groupBy) };
  const expected = days && { from: new Date(days[0]), to: new Date(days[1]) };
  expect(findReportVisitDays(report, 30, NOW)).toEqual(expected);
});

test("parses a request, with UTC as the default time zone", () => {
  const request = create(ReportCallsRequestSchema, {
    accountId: "acme",
    groupBy: [CallGrouping.PROPERTY, CallGrouping.NUMBER, CallGrouping.PROPERTY],
    from: timestampFromDate(NOW),
    timeZone: "America/Argentina/Buenos_Aires",
  });
  expect(parseReportCallsRequest(request)).toEqual({
    ...{ account: "acme", from: NOW, to: undefined, timeZone: "America/Argentina/Buenos_Aires" },
    groupBy: new Set(["propertyToken", "trackingNumber"]),
  });
  expect(parseReportCallsRequest(create(ReportCallsRequestSchema, { accountId: "acme" })).timeZone).toBe("UTC");
});

test.each([
  [{ groupBy: [CallGrouping.UNSPECIFIED] }, "group_by[0]"],
  [{ timeZone: "+01:00" }, "time_zone"],
  [{ timeZone: "Europe/Nowhere" }, "time_zone"],
  [{ timeZone: "UTC'; drop table calls" }, "time_zone"],
  [{ timeZone: "" }, "time_zone"],
  [{ from: timestampFromDate(NOW), to: timestampFromDate(new Date(0)) }, "to"],
])("rejects %o because of %s", (fields, field) => {
  const request = create(ReportCallsRequestSchema, { accountId: "acme", ...fields });
  expect(invalidFields(() => parseReportCallsRequest(request))).toEqual([field]);
});
