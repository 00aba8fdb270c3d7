import {
  type CallGroup,
  type CallReport,
  type DayRange,
  MAX_REPORT_ROWS,
  reportRows,
  visitDays,
} from "@calltrack/domain";
import type { CallReportRow } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Executor } from "@calltrack/postgres";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { ALL_TIME } from "./call-list.js";
import { countCallsStatement, countVisitsStatement, planByValuesStatement } from "./call-report-statements.js";

/**
 * Counts the calls of an account by group, with the visits of each group where they are available.
 *
 * @param windowDays the length of the visit window in UTC days, including today.
 * @throws DomainError `FIELD_INVALID` if the report has too many rows
 */
export async function reportCalls(
  db: Executor,
  { accountId }: ResolvedAccount,
  report: CallReport,
  windowDays: number,
  now: Date,
): Promise<CallReportRow[]> {
  const { groupBy, from = ALL_TIME.from, to = ALL_TIME.to, timeZone } = report;
  const days = visitDays(report, windowDays, now);
  const { calls, visits } = await db.transaction(async (transaction) => {
    await planByValuesStatement(transaction, {});
    return {
      calls: await countCallsStatement(groupBy)(transaction, {
        ...partOf(accountId, { from, to }),
        timeZone,
        limit: MAX_REPORT_ROWS + 1,
      }),
      visits: days && (await countVisitsStatement(groupBy)(transaction, partOf(accountId, days))),
    };
  });
  return reportRows(
    calls.map(({ calls, answered, missed, firstCalls, totalSeconds, ...group }) => ({
      ...{ group: withoutNulls(group), calls, answered, missed, firstCalls, totalSeconds },
    })),
    days && visits && { days, totals: visits.map(({ visits, ...group }) => ({ group: withoutNulls(group), visits })) },
  );
}

function partOf(accountId: number, { from, to }: DayRange) {
  return { accountId, from: from.toISOString(), to: to.toISOString() };
}

function withoutNulls(group: { readonly [F in keyof CallGroup]: CallGroup[F] | null }): CallGroup {
  return Object.fromEntries(Object.entries(group).filter(([, value]) => value !== null));
}
