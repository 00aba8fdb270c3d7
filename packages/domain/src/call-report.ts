import { parseAccountReference } from "./account.js";
import { readCallTimeRange } from "./call-filter.js";
import { compareCodePoints } from "./code-point-order.js";
import { DomainError } from "./domain-error.js";
import { FieldCheck } from "./field-check.js";
import { CallGrouping, type CallReportRow, type ReportCallsRequest } from "./gen/calltracking/v1/call_pb.js";
import { canonicalizeTimeZone, findTimeZoneProblem } from "./time-zone.js";

const DAY_MS = 86_400_000;

/** Maximum number of rows in a report. Reports are limited because they are not paginated. */
export const MAX_REPORT_ROWS = 10_000;

/** The fields of a report row by which a report can group calls, keyed by the grouping in the request. */
const GROUP_FIELDS = new Map([
  [CallGrouping.SOURCE, "source"],
  [CallGrouping.MEDIUM, "medium"],
  [CallGrouping.PROPERTY, "propertyToken"],
  [CallGrouping.POOL, "poolId"],
  [CallGrouping.NUMBER, "trackingNumber"],
  [CallGrouping.DAY, "day"],
  [CallGrouping.HOUR, "hour"],
  [CallGrouping.CHANNEL, "channel"],
] as const);

/** A field of a report row by which reports can be grouped. */
export type CallReportGroupField = typeof GROUP_FIELDS extends ReadonlyMap<unknown, infer F> ? F : never;

/** The fields of a report row by which visits can be grouped. */
const VISIT_FIELDS: readonly CallReportGroupField[] = ["source", "medium", "channel", "propertyToken", "day"];

/** The values that the calls of a group share. A field is undefined if the report is not grouped by it, or if the calls have no value for it. */
export type CallReportGroup = Partial<Pick<CallReportRow, CallReportGroupField>>;

/** The time range, time zone and grouping of a report, without the account. */
export type CallReportParameters = Omit<ReturnType<typeof parseReportCallsRequest>, "account">;

/** The number of calls in one group of a report, in total and for each outcome. */
export interface CallGroupTotals {
  readonly group: CallReportGroup;
  readonly calls: number;
  readonly answered: number;
  readonly missed: number;
  readonly abandoned: number;
  readonly unknown: number;
  readonly voicemail: number;
  readonly firstCalls: number;
  /** Number of answered calls whose duration is known. */
  readonly timed: number;
  readonly totalSeconds: number;
}

export interface VisitGroupTotals {
  readonly group: CallReportGroup;
  readonly visits: number;
}

/** @throws DomainError `FIELD_INVALID` */
export function parseReportCallsRequest(request: ReportCallsRequest) {
  const check = new FieldCheck();
  const problem = "must be source, medium, channel, property, pool, number, day or hour";
  const groupBy = check.names<CallGrouping, CallReportGroupField>("group_by", request.groupBy, GROUP_FIELDS, problem);
  return check.done({
    account: parseAccountReference(check, request),
    groupBy: new Set(groupBy),
    ...readCallTimeRange(check, request),
    timeZone: canonicalizeTimeZone(check.optional("time_zone", request.timeZone, findTimeZoneProblem) ?? "UTC"),
  });
}

/** Whole UTC days: from midnight at `from`, inclusive, to midnight at `to`, exclusive. */
export interface UtcDayRange {
  readonly from: Date;
  readonly to: Date;
}

/**
 * Finds the whole UTC days for which a report shows visits: the days that the report covers and that are in the visit window. Visits are counted per
 * UTC day, and the counts are kept for the visit window only.
 *
 * Returns undefined if the report cannot show visits. For example, its rows are not grouped by day, and it covers partial days or days outside the
 * visit window.
 *
 * @param windowDays the length of the visit window in UTC days, including today.
 */
export function findReportVisitDays(
  { groupBy, from, to, timeZone }: CallReportParameters,
  windowDays: number,
  now: Date,
): UtcDayRange | undefined {
  if (timeZone !== "UTC" || [...groupBy].some((field) => !VISIT_FIELDS.includes(field))) return undefined;
  const tomorrow = Math.floor(now.getTime() / DAY_MS) + 1;
  const start = (from?.getTime() ?? Number.NEGATIVE_INFINITY) / DAY_MS;
  const end = (to?.getTime() ?? tomorrow * DAY_MS) / DAY_MS;
  const [first, last] = [Math.max(Math.ceil(start), tomorrow - windowDays), Math.min(Math.floor(end), tomorrow)];
  if (first >= last || !(groupBy.has("day") || (first === start && last === end))) return undefined;
  return { from: new Date(first * DAY_MS), to: new Date(last * DAY_MS) };
}

/** The visit counts that a report shows, and the days of the counted visits. */
export interface CallReportVisits {
  /** The days on which the visits happened. */
  readonly days: UtcDayRange;
  readonly totals: readonly VisitGroupTotals[];
}

/**
 * Builds the rows of a report, one for each group that has calls or visits. Sorts them by day, then by hour, then by descending number of calls.
 *
 * @param visits undefined if the report shows no visits.
 * @throws DomainError `FIELD_INVALID` if there are more than `MAX_REPORT_ROWS` rows.
 */
export function buildCallReportRows(
  calls: readonly CallGroupTotals[],
  visits: CallReportVisits | undefined,
): CallReportRow[] {
  requireFewRows(Math.max(calls.length, visits?.totals.length ?? 0));
  const visited = new Map((visits?.totals ?? []).map((totals) => [groupKey(totals.group), totals]));
  const rows = new Map<string, CallReportRow>();
  for (const totals of calls) {
    const key = groupKey(totals.group);
    const count = visits && includesDay(visits.days, totals.group.day) ? (visited.get(key)?.visits ?? 0) : undefined;
    rows.set(key, buildRow(totals, count));
  }
  for (const [key, { group, visits: count }] of visited) {
    if (!rows.has(key)) rows.set(key, buildRow({ group, ...NO_CALLS }, count));
  }
  requireFewRows(rows.size);
  return [...rows].sort(compareRows).map(([, row]) => row);
}

function requireFewRows(count: number): void {
  if (count <= MAX_REPORT_ROWS) return;
  const description = `results in more than ${MAX_REPORT_ROWS} rows: group by fewer fields or choose a shorter period`;
  throw new DomainError("FIELD_INVALID", { violations: [{ field: "group_by", description }] });
}

/** Reports whether a range of days includes the day of a report row; true for a row without a day. */
function includesDay({ from, to }: UtcDayRange, day: string | undefined): boolean {
  if (day === undefined) return true;
  const midnight = new Date(day);
  return midnight >= from && midnight < to;
}

const NO_CALLS = {
  ...{ calls: 0, answered: 0, missed: 0, abandoned: 0, unknown: 0, voicemail: 0 },
  ...{ firstCalls: 0, timed: 0, totalSeconds: 0 },
};

function buildRow(
  { group, timed, totalSeconds, ...counts }: CallGroupTotals,
  visits: number | undefined,
): CallReportRow {
  const row: CallReportRow = {
    $typeName: "calltracking.v1.CallReportRow",
    ...group,
    ...counts,
    totalSeconds: BigInt(totalSeconds),
  };
  if (timed > 0) row.averageSeconds = totalSeconds / timed;
  if (visits !== undefined) row.visits = BigInt(visits);
  if (visits !== undefined && visits > 0) row.callsPer100Visits = (counts.calls * 100) / visits;
  return row;
}

function groupKey(group: CallReportGroup): string {
  return JSON.stringify(Array.from(GROUP_FIELDS.values(), (field) => group[field] ?? null));
}

/** Compares the group keys last, so that rows with equal numbers of calls have a fixed order. */
function compareRows(
  [oneKey, one]: readonly [string, CallReportRow],
  [otherKey, other]: readonly [string, CallReportRow],
): number {
  return (
    compareCodePoints(one.day ?? "", other.day ?? "") ||
    (one.hour ?? 0) - (other.hour ?? 0) ||
    other.calls - one.calls ||
    compareCodePoints(oneKey, otherKey)
  );
}
