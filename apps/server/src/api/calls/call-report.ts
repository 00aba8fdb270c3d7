import {
  type CallGroup,
  type CallGroupField,
  type CallReport,
  type CallTotals,
  hasVisits,
  MAX_REPORT_ROWS,
  reportRows,
  type VisitTotals,
} from "@calltrack/domain";
import type { CallReportRow } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Executor } from "@calltrack/postgres";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { ALL_TIME } from "./call-list.js";
import {
  countCallsStatement,
  countVisitsStatement,
  GROUP_COLUMNS,
  type GroupColumns,
  planByValuesStatement,
} from "./call-report-statements.js";

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
  const part = { accountId, from: from.toISOString(), to: to.toISOString() };
  const { calls, visits } = await db.transaction(async (transaction) => {
    await planByValuesStatement(transaction, {});
    return {
      calls: await countCallsStatement(groupBy)(transaction, { ...part, timeZone, limit: MAX_REPORT_ROWS + 1 }),
      visits: hasVisits(report, windowDays, now) ? await countVisitsStatement(groupBy)(transaction, part) : undefined,
    };
  });
  const callTotals = calls.map(
    (row): CallTotals => ({
      ...{ group: groupOf(row), calls: row.calls, answered: row.answered, missed: row.missed },
      ...{ firstCalls: row.first_calls, totalSeconds: row.total_seconds },
    }),
  );
  return reportRows(
    callTotals,
    visits?.map((row): VisitTotals => ({ group: groupOf(row), visits: row.visits })),
  );
}

function groupOf(row: GroupColumns): CallGroup {
  const entries = Object.entries(GROUP_COLUMNS) as [CallGroupField, keyof GroupColumns][];
  return Object.fromEntries(
    entries.flatMap(([field, column]) => {
      const value = row[column] ?? undefined;
      return value === undefined ? [] : [[field, value]];
    }),
  );
}
