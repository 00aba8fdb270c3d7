import type { ImportRow } from "./import-row.js";
import type { RowOutcome } from "./row-outcome.js";

/** What rows are imported with. */
export interface ImportPlan {
  readonly rows: AsyncIterable<ImportRow>;
  /** Imports one row. Called in the order of the rows; never rejects. */
  readonly importRow: (row: ImportRow) => Promise<RowOutcome>;
  /** Told the outcome of each row, in the order of the rows. */
  readonly onOutcome: (row: ImportRow, outcome: RowOutcome) => Promise<void>;
  /** How many rows may be under way at once. */
  readonly concurrency: number;
  /** Ends the import when it aborts. */
  readonly stop: AbortSignal;
}

interface PendingRow {
  readonly row: ImportRow;
  readonly outcome: Promise<RowOutcome>;
}

/**
 * Imports rows, several at once, until they end, an outcome is fatal, or `stop` aborts: then no further row is begun. Throws
 * the reason of `stop`, what was fatal or what reading the rows threw, after the rows that were under way are settled and told.
 */
export async function importRows(plan: ImportPlan): Promise<void> {
  const pending: PendingRow[] = [];
  const errors: unknown[] = [];
  const settleOldest = async (): Promise<void> => {
    const oldest = pending.shift();
    if (oldest === undefined) return;
    const outcome = await oldest.outcome;
    if (outcome.fatal !== undefined) errors.push(outcome.fatal);
    await plan.onOutcome(oldest.row, outcome);
  };
  try {
    for await (const row of plan.rows) {
      plan.stop.throwIfAborted();
      pending.push({ row, outcome: plan.importRow(row) });
      if (pending.length >= plan.concurrency) await settleOldest();
      if (errors.length > 0) break;
    }
  } catch (error) {
    errors.push(error);
  }
  while (pending.length > 0) await settleOldest();
  if (errors.length > 0) throw errors[0];
}
