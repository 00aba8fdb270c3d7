import { CallReportRowSchema, CallSchema } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { OutputCell } from "../../output/output-row.js";
import { formatSourceCell, type ResourceView } from "../../output/resource-view.js";

export const callView: ResourceView<typeof CallSchema> = {
  schema: CallSchema,
  expendable: ["answered_by", "call_id", "id", "first", "pool_id", "rejected", "caller"],
  columns: [
    "id",
    "started_at",
    "number",
    "caller",
    "outcome",
    "rejected",
    "seconds",
    "source",
    "first",
    "answered_by",
    "call_id",
    "pool_id",
  ],
  cells: {
    number: "tracking_number",
    caller: "caller_number",
    rejected: "reject_reason",
    seconds: "duration_seconds",
    source: formatSourceCell,
    first: "is_first_call",
  },
};

/** The width of the longest bar, in terminal columns. */
const BAR_WIDTH = 24;

/** The field of a report row that contains the group's value, keyed by the grouping. */
const GROUP_FIELDS: Readonly<Record<string, string>> = {
  ...{ source: "source", medium: "medium", property: "property_token", pool: "pool_id" },
  ...{ number: "tracking_number", day: "day", hour: "hour" },
};

const COUNTS = [
  ...["calls", "answered", "missed", "abandoned", "unknown", "voicemail", "first_calls"],
  ...["average_seconds", "visits", "calls_per_100_visits"],
];

/**
 * Creates a view with one column for each grouping, and then the counts.
 *
 * @param maxCalls the number of calls that the longest bar stands for; undefined shows no bars.
 */
export function createCallReportView(
  groupBy: readonly string[],
  maxCalls: number | undefined,
): ResourceView<typeof CallReportRowSchema> {
  const columns = [...groupBy.map((grouping) => GROUP_FIELDS[grouping] ?? grouping), ...COUNTS];
  return {
    schema: CallReportRowSchema,
    expendable: ["bar", "voicemail", "unknown", "abandoned", "first_calls", "average_seconds", "missed", "answered"],
    columns: maxCalls === undefined ? columns : [...columns, "bar"],
    cells: {
      average_seconds: (row) => rounded(row.average_seconds),
      calls_per_100_visits: (row) => rounded(row.calls_per_100_visits),
      bar: (row) => barOf(Number(row.calls), maxCalls ?? 0),
    },
  };
}

/** Rounds numbers to one decimal place. */
function rounded(cell: OutputCell = null): OutputCell {
  return typeof cell === "number" ? Math.round(cell * 10) / 10 : cell;
}

function barOf(calls: number, maxCalls: number): string {
  return "█".repeat(maxCalls === 0 ? 0 : Math.ceil((calls / maxCalls) * BAR_WIDTH));
}
