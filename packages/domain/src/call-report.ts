import { parseAccountReference } from "./account.js";
import { readInterval } from "./call-filter.js";
import { compareCodePoints } from "./code-point-order.js";
import { DomainError } from "./domain-error.js";
import { FieldCheck } from "./field-check.js";
import { CallGrouping, type CallReportRow, type ReportCallsRequest } from "./gen/calltracking/v1/call_pb.js";

const DAY_MS = 86_400_000;

/** The rows that a report may have: more would be a list, and no message. */
export const MAX_REPORT_ROWS = 10_000;

/** The groupings of rows, by the field that has the name of the group. */
const GROUPINGS = {
  source: CallGrouping.SOURCE,
  medium: CallGrouping.MEDIUM,
  propertyToken: CallGrouping.PROPERTY,
  poolId: CallGrouping.POOL,
  trackingNumber: CallGrouping.NUMBER,
  day: CallGrouping.DAY,
  hour: CallGrouping.HOUR,
} as const;

/** A field that rows can be grouped by. */
export type CallGroupField = keyof typeof GROUPINGS;

const GROUP_FIELDS = Object.keys(GROUPINGS) as CallGroupField[];

/** The groupings that visits are counted by too. */
const VISIT_FIELDS: readonly CallGroupField[] = ["source", "medium", "propertyToken", "day"];

/** The name of a group. A field is undefined if the report is not grouped by it, or the calls have none. */
export type CallGroup = Partial<Pick<CallReportRow, CallGroupField>>;

/** A report that is asked for. */
export interface CallReport {
  readonly groupBy: ReadonlySet<CallGroupField>;
  /** The first moment; undefined for the oldest call. */
  readonly from: Date | undefined;
  /** The first moment after the last one; undefined for the newest call. */
  readonly to: Date | undefined;
  /** A name of the IANA database. */
  readonly timeZone: string;
}

/** The calls of a group. */
export interface CallTotals {
  readonly group: CallGroup;
  readonly calls: number;
  readonly answered: number;
  readonly missed: number;
  readonly firstCalls: number;
  readonly totalSeconds: number;
}

/** The visits of a group. */
export interface VisitTotals {
  readonly group: CallGroup;
  readonly visits: number;
}

/**
 * The report that is asked for.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseReportCalls(request: ReportCallsRequest): CallReport & {
  /** The token or the id of an account. */
  readonly account: string;
} {
  const check = new FieldCheck();
  const groupBy = request.groupBy.map((grouping, index) => {
    const field = GROUP_FIELDS.find((each) => GROUPINGS[each] === grouping);
    if (field === undefined) {
      check.report(`group_by[${index}]`, "must be source, medium, property, pool, number, day or hour");
    }
    return field as CallGroupField;
  });
  return check.done({
    account: parseAccountReference(check, request),
    groupBy: new Set(groupBy),
    ...readInterval(check, request),
    timeZone: check.optional("time_zone", request.timeZone, timeZoneProblem) ?? "UTC",
  });
}

/**
 * Whether visits can stand beside the calls of a report: they are counted by UTC day, for the days of the visit window.
 *
 * @param windowDays how many UTC days the window has, today included.
 */
export function hasVisits({ groupBy, from, to, timeZone }: CallReport, windowDays: number, now: Date): boolean {
  if (from === undefined || to === undefined || timeZone !== "UTC") return false;
  if ([...groupBy].some((field) => !VISIT_FIELDS.includes(field))) return false;
  const tomorrow = (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS;
  const isWithin = from.getTime() >= tomorrow - windowDays * DAY_MS && to.getTime() <= tomorrow;
  return isWithin && from.getTime() % DAY_MS === 0 && to.getTime() % DAY_MS === 0;
}

/**
 * The rows of a report: one for each group that has calls or visits, in the order of days and hours, with the most calls first.
 *
 * @param visits undefined if the report has none.
 * @throws DomainError `FIELD_INVALID` if there are too many
 */
export function reportRows(calls: readonly CallTotals[], visits: readonly VisitTotals[] | undefined): CallReportRow[] {
  const counts = new Map((visits ?? []).map(({ group, visits: count }) => [keyOf(group), count]));
  const rows = calls.map((totals) => {
    const key = keyOf(totals.group);
    const count = counts.get(key) ?? 0;
    counts.delete(key);
    return rowOf(totals, visits && count);
  });
  for (const { group, visits: count } of visits ?? []) {
    if (counts.has(keyOf(group))) rows.push(rowOf({ group, ...NO_CALLS }, count));
  }
  if (rows.length > MAX_REPORT_ROWS) {
    const description = `must be fewer, or from and to closer: a report has at most ${MAX_REPORT_ROWS} rows`;
    throw new DomainError("FIELD_INVALID", { violations: [{ field: "group_by", description }] });
  }
  return rows.sort(compareRows);
}

const NO_CALLS = { calls: 0, answered: 0, missed: 0, firstCalls: 0, totalSeconds: 0 };

function rowOf({ group, totalSeconds, ...counts }: CallTotals, visits: number | undefined): CallReportRow {
  const row: CallReportRow = {
    $typeName: "calltracking.v1.CallReportRow",
    ...group,
    ...counts,
    totalSeconds: BigInt(totalSeconds),
  };
  if (counts.answered > 0) row.averageSeconds = totalSeconds / counts.answered;
  if (visits !== undefined) row.visits = BigInt(visits);
  if (visits !== undefined && visits > 0) row.callsPer100Visits = (counts.calls * 100) / visits;
  return row;
}

function keyOf(group: CallGroup): string {
  return JSON.stringify(GROUP_FIELDS.map((field) => group[field] ?? null));
}

function compareRows(one: CallReportRow, other: CallReportRow): number {
  return (
    compareCodePoints(one.day ?? "", other.day ?? "") ||
    (one.hour ?? 0) - (other.hour ?? 0) ||
    other.calls - one.calls ||
    compareCodePoints(keyOf(one), keyOf(other))
  );
}

/** A name, not an offset such as `+01:00`, which PostgreSQL reads the other way round. */
function timeZoneProblem(timeZone: string): string | undefined {
  const problem = "must be a time zone of the IANA database, such as Europe/Berlin";
  if (!/^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/.test(timeZone)) return problem;
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return undefined;
  } catch {
    return problem;
  }
}
