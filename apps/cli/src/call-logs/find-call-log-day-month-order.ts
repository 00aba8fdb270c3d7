import type { ImportRow } from "../import/import-row.js";
import { UsageError } from "../process/usage-error.js";
import type { CallLogFormat, DayMonthOrder } from "./call-log-format.js";
import { createCallLogRowCells, getFirstFilledCell } from "./call-log-row-cells.js";
import { detectDayMonthOrder } from "./log-time.js";

/** The search for the order of day and month ends after this many rows if no row has a date in which that order matters. */
const MAX_ROWS = 1000;

/**
 * Returns the order of day and month that the dates of a log show, or the format's `date_order` if none shows it.
 *
 * @throws UsageError if dates contradict each other or the format's `date_order`.
 */
export async function findCallLogDayMonthOrder(
  rows: AsyncIterable<ImportRow>,
  format: CallLogFormat,
): Promise<DayMonthOrder | undefined> {
  const found = new Map<DayMonthOrder | "unknown", string>();
  let rowCount = 0;
  for await (const { line, content } of rows) {
    rowCount += 1;
    if (found.size === 0 && rowCount > MAX_ROWS) break;
    const cells = createCallLogRowCells(content.kind === "fields" ? content.fields : {});
    for (const columns of [format.started_at, format.answered_at, format.ended_at]) {
      const text = getFirstFilledCell(cells, columns);
      const order = detectDayMonthOrder(text);
      if (order !== undefined && !found.has(order)) found.set(order, `line ${line} has ${text}`);
    }
    const [dayFirst, monthFirst] = [found.get("day-first"), found.get("month-first")];
    if (dayFirst !== undefined && monthFirst !== undefined)
      throw new UsageError(
        `the log has both day-first and month-first dates: ${dayFirst}, but ${monthFirst}: correct the dates`,
      );
    const other = format.date_order === "day-first" ? monthFirst : dayFirst;
    if (format.date_order !== undefined && other !== undefined)
      throw new UsageError(
        `date_order is ${format.date_order}, but ${other}: correct the date, or set date_order with --mapping`,
      );
  }
  return found.has("day-first") ? "day-first" : found.has("month-first") ? "month-first" : format.date_order;
}
