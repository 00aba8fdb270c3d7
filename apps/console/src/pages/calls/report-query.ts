import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { CallGrouping, type CallReportRow } from "@calltrack/domain/gen/calltracking/v1/call_pb";

/**
 * The groupings of a report. Each entry has the grouping's name in the URL, the column title, the row field with the group's name, and the API's enum
 * value.
 */
export const REPORT_GROUPINGS = [
  { name: "source", title: "Source", field: "source", grouping: CallGrouping.SOURCE },
  { name: "medium", title: "Medium", field: "medium", grouping: CallGrouping.MEDIUM },
  { name: "channel", title: "Channel", field: "channel", grouping: CallGrouping.CHANNEL },
  { name: "property", title: "Property", field: "propertyToken", grouping: CallGrouping.PROPERTY },
  { name: "day", title: "Day", field: "day", grouping: CallGrouping.DAY },
] as const;

export type ReportGrouping = (typeof REPORT_GROUPINGS)[number];

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

/** The first and last day of a report, both included: UTC days as `YYYY-MM-DD`. */
export interface ReportDayRange {
  readonly from: string;
  readonly to: string;
}

/** Returns the last `DEFAULT_DAYS` UTC days, including today. Reports use UTC days because visits are counted by UTC day. */
export function computeDefaultReportDayRange(now: Date): ReportDayRange {
  return { from: dayText(now.getTime() - (DEFAULT_DAYS - 1) * DAY_MS), to: dayText(now.getTime()) };
}

function dayText(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

export function createReportRequest({ grouping }: ReportGrouping, { from, to }: ReportDayRange) {
  return {
    groupBy: [grouping],
    from: timestampFromMs(Date.parse(`${from}T00:00:00Z`)),
    to: timestampFromMs(Date.parse(`${to}T00:00:00Z`) + DAY_MS),
  };
}

/** Returns a unique key for a report row. The key for calls without a group begins with a space, because no group's name does. */
export function getReportRowKey({ field }: ReportGrouping, row: CallReportRow): string {
  return row[field] ?? " none";
}

/** Maximum period, in days, in which empty days are added. A chart with more days would be unreadable and slow. */
const MAX_FILLED_DAYS = 1000;

/** Adds days without calls or visits to a report by day. In a period above `MAX_FILLED_DAYS`, adds only days between the first and last row. */
export function addEmptyDays(
  rows: readonly CallReportRow[],
  { from, to }: ReportDayRange,
): readonly (readonly [string, CallReportRow | undefined])[] {
  const byDay = new Map(rows.map((row) => [row.day ?? "", row]));
  const isTooLong = Date.parse(to) - Date.parse(from) > MAX_FILLED_DAYS * DAY_MS;
  const [first, last] = isTooLong ? [rows.at(0)?.day ?? from, rows.at(-1)?.day ?? from] : [from, to];
  const length = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  const days = Array.from({ length }, (_, index) => dayText(Date.parse(first) + index * DAY_MS));
  return days.map((day) => [day, byDay.get(day)]);
}
