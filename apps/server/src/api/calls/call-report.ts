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
import {
  callTotalsStatement,
  GROUP_COLUMNS,
  type GroupColumns,
  visitTotalsStatement,
} from "./call-report-statements.js";
import { ALL_TIME } from "./call-repository.js";

/**
 * The report of an account.
 *
 * @param windowDays how many UTC days the visit window has, today included.
 * @throws DomainError `FIELD_INVALID` if it has too many rows
 */
export async function reportCalls(
  db: Executor,
  { accountId }: ResolvedAccount,
  report: CallReport,
  windowDays: number,
  now: Date,
): Promise<CallReportRow[]> {
  const { groupBy, from = ALL_TIME.from, to = ALL_TIME.to, timeZone } = report;
  const part = {
    accountId,
    from: from.toISOString(),
    to: to.toISOString(),
    groupBy: [...groupBy].map((field) => GROUP_COLUMNS[field]),
  };
  const [calls, visits] = await Promise.all([
    callTotalsStatement(db, { ...part, timeZone, limit: MAX_REPORT_ROWS + 1 }),
    hasVisits(report, windowDays, now) ? visitTotalsStatement(db, part) : undefined,
  ]);
  const callTotals = calls.map(
    (row): CallTotals => ({
      ...{ group: groupOf(row), calls: row.calls, answered: row.answered, missed: row.missed },
      ...{ firstCalls: row.first_calls, totalSeconds: row.total_seconds },
    }),
  );
  return reportRows(
    // Of no groups there is one row, also if there is no call.
    callTotals.length === 0 && groupBy.size === 0 ? [NOTHING] : callTotals,
    visits?.map((row): VisitTotals => ({ group: groupOf(row), visits: row.visits })),
  );
}

const NOTHING: CallTotals = { group: {}, calls: 0, answered: 0, missed: 0, firstCalls: 0, totalSeconds: 0 };

function groupOf(row: Partial<GroupColumns>): CallGroup {
  const entries = Object.entries(GROUP_COLUMNS) as [CallGroupField, keyof GroupColumns][];
  return Object.fromEntries(
    entries.flatMap(([field, column]) => {
      const value = row[column] ?? undefined;
      return value === undefined ? [] : [[field, value]];
    }),
  );
}
