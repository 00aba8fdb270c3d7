import {
  buildCallReportRows,
  type CallGroupTotals,
  type CallReportGroup,
  type CallReportGroupField,
  type CallReportParameters,
  DomainError,
  findReportVisitDays,
  MAX_REPORT_ROWS,
  type UtcDayRange,
  type VisitGroupTotals,
} from "@calltrack/domain";
import { findTrafficChannel } from "@calltrack/domain/channel";
import type { CallReportRow } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { type Executor, isInvalidParameterError } from "@calltrack/postgres";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { ALL_CALLS_TIME_RANGE } from "./call-list.js";
import {
  type CallTotalsRow,
  findReportSliceEndStatement,
  forceCustomPlansStatement,
  getCallCountStatement,
  getVisitCountStatement,
  type ReportGroupRow,
  type ReportSliceParameters,
  type VisitTotalsRow,
} from "./call-report-statements.js";
import { createWorkQueue } from "./work-queue.js";

/** The maximum number of sources that a report by channel sums up in memory, which takes about 30 MB. */
const MAX_SOURCE_GROUPS = 100_000;

/**
 * The queue for the statements of reports. They run in transactions, which use the connections for writes, so many slow reports at a time would
 * delay the recording of calls. Two at a time, because each of many workers has only four of these connections.
 */
const runInTurn = createWorkQueue(2);

/**
 * Counts the calls of an account by group, and the visits of each group if they are available.
 *
 * @param windowDays the length of the visit window in UTC days, including today.
 * @param maxCalls the approximate number of calls that one statement counts; undefined for all. A report that takes several statements may
 *   miss calls that are recorded meanwhile.
 * @throws DomainError `FIELD_INVALID` if the report has too many rows
 */
export async function reportCalls(
  db: Executor,
  { accountId }: ResolvedAccount,
  report: CallReportParameters,
  windowDays: number,
  now: Date,
  maxCalls?: number,
): Promise<CallReportRow[]> {
  const { groupBy, from = ALL_CALLS_TIME_RANGE.from, to = ALL_CALLS_TIME_RANGE.to, timeZone } = report;
  const totals = new Map<string, CallGroupTotals>();
  const byChannel = groupBy.has("channel");
  const storedFields = byChannel ? new Set<CallReportGroupField>([...groupBy, "source", "medium"]) : groupBy;
  // One row more than the maximum, so that `buildCallReportRows` rejects a report with too many rows.
  const limit = (byChannel ? MAX_SOURCE_GROUPS : MAX_REPORT_ROWS) + 1;
  const requireFewSources = (rows: readonly object[]) => {
    if (byChannel && rows.length === limit) throw tooManySources();
  };
  for await (const part of slice(db, partOf(accountId, { from, to }), maxCalls)) {
    const rows = await runPlanned(db, (transaction) =>
      getCallCountStatement(storedFields)(transaction, { ...part, timeZone, limit }),
    ).catch(explainTimeZone);
    requireFewSources(rows);
    for (const row of rows) addTotals(totals, row, groupBy);
    if (totals.size > MAX_REPORT_ROWS) break;
  }
  const days = findReportVisitDays(report, windowDays, now);
  const visits =
    days &&
    (await runPlanned(db, (transaction) =>
      getVisitCountStatement(storedFields)(transaction, { ...partOf(accountId, days), limit }),
    ));
  requireFewSources(visits ?? []);
  return buildCallReportRows([...totals.values()], days && visits && { days, totals: sumVisits(visits, groupBy) });
}

function sumVisits(rows: readonly VisitTotalsRow[], groupBy: ReadonlySet<CallReportGroupField>): VisitGroupTotals[] {
  const sums = new Map<string, VisitGroupTotals>();
  for (const { visits, ...stored } of rows) {
    const group = groupOf(stored, groupBy);
    const key = JSON.stringify(group);
    sums.set(key, { group, visits: visits + (sums.get(key)?.visits ?? 0) });
  }
  return [...sums.values()];
}

function tooManySources(): DomainError<"FIELD_INVALID"> {
  const description = `yields more than ${MAX_SOURCE_GROUPS} groups of sources: group by fewer fields, or choose a shorter period`;
  return new DomainError("FIELD_INVALID", { violations: [{ field: "group_by", description }] });
}

/**
 * Converts the database's error for an unknown time zone to a `FIELD_INVALID` error, and rethrows any other error. The database has its own list of
 * time zones, which may be older than the list of this process.
 */
function explainTimeZone(error: unknown): never {
  if (!isInvalidParameterError(error)) throw error;
  const description =
    "must be a time zone that the database knows: use another name for the zone, or update the database's time zone data";
  throw new DomainError("FIELD_INVALID", { violations: [{ field: "time_zone", description }] });
}

function partOf(accountId: number, { from, to }: UtcDayRange): ReportSliceParameters {
  return { accountId, from: from.toISOString(), to: to.toISOString() };
}

/** Splits a report into parts of about `maxCalls` calls. A part is larger only if several calls start at the same time. */
async function* slice(
  db: Executor,
  whole: ReportSliceParameters,
  maxCalls: number | undefined,
): AsyncGenerator<ReportSliceParameters> {
  let part = whole;
  while (maxCalls !== undefined) {
    const [next] = await findReportSliceEndStatement(db, { ...part, calls: maxCalls });
    if (next === undefined) break;
    const end = next.started_at.toISOString();
    yield { ...part, to: end };
    part = { ...part, from: end };
  }
  yield part;
}

/** Runs a statement with a plan for the values of its parameters. */
function runPlanned<R>(db: Executor, run: (transaction: Executor) => Promise<R>): Promise<R> {
  return runInTurn(() =>
    db.transaction(async (transaction) => {
      await forceCustomPlansStatement(transaction, {});
      return run(transaction);
    }),
  );
}

/** Adds a group's counts in one part of a report to the group's counts in earlier parts. */
function addTotals(
  totals: Map<string, CallGroupTotals>,
  { calls, answered, missed, abandoned, unknown, voicemail, firstCalls, timed, totalSeconds, ...stored }: CallTotalsRow,
  groupBy: ReadonlySet<CallReportGroupField>,
): void {
  const group = groupOf(stored, groupBy);
  const key = JSON.stringify(group);
  const before = totals.get(key);
  totals.set(key, {
    group,
    calls: calls + (before?.calls ?? 0),
    answered: answered + (before?.answered ?? 0),
    missed: missed + (before?.missed ?? 0),
    abandoned: abandoned + (before?.abandoned ?? 0),
    unknown: unknown + (before?.unknown ?? 0),
    voicemail: voicemail + (before?.voicemail ?? 0),
    firstCalls: firstCalls + (before?.firstCalls ?? 0),
    timed: timed + (before?.timed ?? 0),
    totalSeconds: totalSeconds + (before?.totalSeconds ?? 0),
  });
}

/** Returns the report's group to which a stored group belongs. Computes the channel from the source and medium. */
function groupOf(stored: ReportGroupRow, groupBy: ReadonlySet<CallReportGroupField>): CallReportGroup {
  const { source, medium } = stored;
  const channel = source == null || medium == null ? null : findTrafficChannel({ source, medium });
  return Object.fromEntries(
    Object.entries({ ...stored, channel }).filter(
      ([field, value]) => value !== null && groupBy.has(field as CallReportGroupField),
    ),
  );
}
