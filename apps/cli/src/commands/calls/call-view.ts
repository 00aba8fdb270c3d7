import { CallReportRowSchema, CallSchema } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Cell, Row } from "../../output/resource-row.js";
import { cellAt, type ResourceView, sourceCell, type TableColumns } from "../../output/resource-view.js";

/** The view of a call. */
export const callView: ResourceView<typeof CallSchema> = {
  schema: CallSchema,
  expendable: ["call_id", "id", "first", "pool_id", "caller"],
  columns: {
    id: (row) => cellAt(row, "id"),
    started_at: (row) => cellAt(row, "started_at"),
    number: (row) => cellAt(row, "tracking_number"),
    caller: (row) => cellAt(row, "caller_number"),
    outcome: (row) => cellAt(row, "outcome"),
    seconds: (row) => cellAt(row, "duration_seconds"),
    source: sourceCell,
    first: (row) => cellAt(row, "is_first_call"),
    call_id: (row) => cellAt(row, "call_id"),
    pool_id: (row) => cellAt(row, "pool_id"),
  },
};

/** The width of the longest bar, in terminal columns. */
const BAR_WIDTH = 24;

/** The field of a report row for each grouping. */
const GROUP_FIELDS: Readonly<Record<string, string>> = {
  ...{ source: "source", medium: "medium", property: "property_token", pool: "pool_id" },
  ...{ number: "tracking_number", day: "day", hour: "hour" },
};

const COUNTS = ["calls", "answered", "missed", "first_calls", "average_seconds", "visits", "calls_per_100_visits"];

/**
 * Creates the view of a call report: the groups and their counts.
 *
 * @param maxCalls the call count of the longest bar; undefined shows no bars.
 */
export function callReportView(
  groupBy: readonly string[],
  maxCalls: number | undefined,
): ResourceView<typeof CallReportRowSchema> {
  const names = [...groupBy.map((grouping) => GROUP_FIELDS[grouping] ?? grouping), ...COUNTS];
  const columns: TableColumns = Object.fromEntries(
    names.map((name) => [name, (row: Row) => rounded(cellAt(row, name))]),
  );
  const bar = (row: Row) => barOf(Number(row.calls), maxCalls ?? 0);
  return {
    schema: CallReportRowSchema,
    expendable: ["bar", "first_calls", "average_seconds", "missed", "answered"],
    columns: maxCalls === undefined ? columns : { ...columns, bar },
  };
}

/** Rounds numbers to one decimal. */
function rounded(cell: Cell): Cell {
  return typeof cell === "number" ? Math.round(cell * 10) / 10 : cell;
}

function barOf(calls: number, maxCalls: number): string {
  return "█".repeat(maxCalls === 0 ? 0 : Math.ceil((calls / maxCalls) * BAR_WIDTH));
}
