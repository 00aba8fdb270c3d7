import { collectPages } from "../collect-pages.js";
import type { ImportRow } from "./import-row.js";
import type { RowOutcome } from "./row-outcome.js";

/** What rows are imported with. */
export interface ImportPlan {
  readonly rows: AsyncIterable<ImportRow>;
  /** How many rows make a batch. */
  readonly batchSize: number;
  /** Imports a batch, and returns an outcome for each of its rows. Called in the order of the rows; never rejects. */
  readonly importBatch: (rows: readonly ImportRow[]) => Promise<readonly RowOutcome[]>;
  /** Told the outcome of each row, in the order of the rows. */
  readonly onOutcome: (row: ImportRow, outcome: RowOutcome) => Promise<void>;
  /** How many batches may be under way at once. */
  readonly concurrency: number;
  /** Ends the import when it aborts. */
  readonly stop: AbortSignal;
}

interface PendingBatch {
  readonly rows: readonly ImportRow[];
  readonly outcomes: Promise<readonly RowOutcome[]>;
}

/**
 * Imports rows, several batches at once, until they end, an outcome is fatal, or `stop` aborts: then no further batch is begun.
 * Throws the reason of `stop`, what was fatal or what reading the rows threw, after the rows that were under way are settled
 * and told.
 */
export async function importRows(plan: ImportPlan): Promise<void> {
  const pending: PendingBatch[] = [];
  const errors: unknown[] = [];
  const settleOldest = async (): Promise<void> => {
    const oldest = pending.shift();
    if (oldest === undefined) return;
    const outcomes = (await oldest.outcomes).values();
    for (const row of oldest.rows) {
      const outcome: RowOutcome = outcomes.next().value ?? { kind: "unanswered" };
      if (outcome.fatal !== undefined) errors.push(outcome.fatal);
      await plan.onOutcome(row, outcome);
    }
  };
  try {
    for await (const rows of collectPages(plan.rows, plan.batchSize)) {
      plan.stop.throwIfAborted();
      pending.push({ rows, outcomes: plan.importBatch(rows) });
      if (pending.length >= plan.concurrency) await settleOldest();
      if (errors.length > 0) break;
    }
  } catch (error) {
    errors.push(error);
  }
  while (pending.length > 0) await settleOldest();
  if (errors.length > 0) throw errors[0];
}
