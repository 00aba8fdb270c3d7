import type { ImportRow } from "../import/import-row.js";
import { UsageError } from "../process/usage-error.js";
import type { CallLogFormat, DateOrder } from "./call-log-format.js";
import { cellOf, cellsOf } from "./log-cells.js";
import { dateOrderOf } from "./log-time.js";

/** The search ends after this many rows if none of them has a date whose order matters. */
const MAX_ROWS = 1000;

/**
 * Returns the order of day and month that the dates of a log show, or the format's `date_order` if none shows it.
 *
 * @throws UsageError if dates contradict each other or the format's `date_order`.
 */
export async function findDateOrder(
  rows: AsyncIterable<ImportRow>,
  format: CallLogFormat,
): Promise<DateOrder | undefined> {
  const found = new Map<DateOrder | "unknown", string>();
  let rowCount = 0;
  for await (const { line, content } of rows) {
    rowCount += 1;
    if (found.size === 0 && rowCount > MAX_ROWS) break;
    const cells = cellsOf(content.kind === "fields" ? content.fields : {});
    for (const columns of [format.started_at, format.answered_at, format.ended_at]) {
      const text = cellOf(cells, columns);
      const order = dateOrderOf(text);
      if (order !== undefined && !found.has(order)) found.set(order, `line ${line} has ${text}`);
    }
    const [dayFirst, monthFirst] = [found.get("day-first"), found.get("month-first")];
    if (dayFirst !== undefined && monthFirst !== undefined)
      throw new UsageError(`dates are both day-first and month-first: ${dayFirst}, and ${monthFirst}: correct them`);
    const other = format.date_order === "day-first" ? monthFirst : dayFirst;
    if (format.date_order !== undefined && other !== undefined)
      throw new UsageError(
        `date_order is ${format.date_order}, but ${other}: correct it, or set date_order with --mapping`,
      );
  }
  return found.has("day-first") ? "day-first" : found.has("month-first") ? "month-first" : format.date_order;
}
