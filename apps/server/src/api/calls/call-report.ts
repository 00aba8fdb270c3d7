import {
  type CallGroup,
  type CallReport,
  type CallTotals,
  type DayRange,
  DomainError,
  MAX_REPORT_ROWS,
  reportRows,
  visitDays,
} from "@calltrack/domain";
import type { CallReportRow } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { type Executor, isUnknownValue } from "@calltrack/postgres";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { ALL_TIME } from "./call-list.js";
import {
  type CallTotalsRow,
  countCallsStatement,
  countVisitsStatement,
  findSliceEndStatement,
  planByValuesStatement,
  type SliceParameters,
} from "./call-report-statements.js";

/**
 * Counts the calls of an account by group, with the visits of each group where they are available.
 *
 * @param windowDays the length of the visit window in UTC days, including today.
 * @param maxCalls about how many calls one statement counts; undefined for all. A report in several statements may miss calls that are
 *   recorded meanwhile.
 * @throws DomainError `FIELD_INVALID` if the report has too many rows
 */
export async function reportCalls(
  db: Executor,
  { accountId }: ResolvedAccount,
  report: CallReport,
  windowDays: number,
  now: Date,
  maxCalls?: number,
): Promise<CallReportRow[]> {
  const { groupBy, from = ALL_TIME.from, to = ALL_TIME.to, timeZone } = report;
  const totals = new Map<string, CallTotals>();
  // One more than a report may have, so that `reportRows` notices.
  const limit = MAX_REPORT_ROWS + 1;
  for await (const part of slice(db, partOf(accountId, { from, to }), maxCalls)) {
    const rows = await runPlanned(db, (transaction) =>
      countCallsStatement(groupBy)(transaction, { ...part, timeZone, limit }),
    ).catch(explainTimeZone);
    for (const row of rows) addTotals(totals, row);
    if (totals.size > MAX_REPORT_ROWS) break;
  }
  const days = visitDays(report, windowDays, now);
  const visits =
    days &&
    (await runPlanned(db, (transaction) =>
      countVisitsStatement(groupBy)(transaction, { ...partOf(accountId, days), limit }),
    ));
  return reportRows(
    [...totals.values()],
    days && visits && { days, totals: visits.map(({ visits, ...group }) => ({ group: withoutNulls(group), visits })) },
  );
}

/** The database has a list of time zones of its own, which may be older than that of this process. */
function explainTimeZone(error: unknown): never {
  if (!isUnknownValue(error)) throw error;
  const description =
    "must be known to the database too: write another name of the zone, or update the database's time zones";
  throw new DomainError("FIELD_INVALID", { violations: [{ field: "time_zone", description }] });
}

function partOf(accountId: number, { from, to }: DayRange): SliceParameters {
  return { accountId, from: from.toISOString(), to: to.toISOString() };
}

/** Cuts a report into parts of about `maxCalls` calls. More calls are in one part only if they start at the same time. */
async function* slice(
  db: Executor,
  whole: SliceParameters,
  maxCalls: number | undefined,
): AsyncGenerator<SliceParameters> {
  let part = whole;
  while (maxCalls !== undefined) {
    const [next] = await findSliceEndStatement(db, { ...part, calls: maxCalls });
    if (next === undefined) break;
    const end = next.started_at.toISOString();
    yield { ...part, to: end };
    part = { ...part, from: end };
  }
  yield part;
}

/** Runs a statement that PostgreSQL plans for the values of its parameters. */
function runPlanned<R>(db: Executor, run: (transaction: Executor) => Promise<R>): Promise<R> {
  return db.transaction(async (transaction) => {
    await planByValuesStatement(transaction, {});
    return run(transaction);
  });
}

/** Adds the counts of a group in one part of a report to those of the earlier parts. */
function addTotals(
  totals: Map<string, CallTotals>,
  { calls, answered, missed, abandoned, unknown, voicemail, firstCalls, timed, totalSeconds, ...group }: CallTotalsRow,
): void {
  const key = JSON.stringify(group);
  const before = totals.get(key);
  totals.set(key, {
    group: withoutNulls(group),
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

function withoutNulls(group: { readonly [F in keyof CallGroup]: CallGroup[F] | null }): CallGroup {
  return Object.fromEntries(Object.entries(group).filter(([, value]) => value !== null));
}
