import { collectPages } from "../connection/collect-pages.js";
import type { ImportRow } from "./import-row.js";
import type { RowOutcome } from "./row-outcome.js";

/** The parameters of an import. */
export interface ImportPlan {
  readonly rows: AsyncIterable<ImportRow>;
  /** Number of rows per batch. */
  readonly batchSize: number;
  /** Imports a batch and returns an outcome for each row. Called in row order; never rejects. */
  readonly importBatch: (rows: readonly ImportRow[]) => Promise<readonly RowOutcome[]>;
  /** Called with the outcome of each row, in row order. */
  readonly onOutcome: (row: ImportRow, outcome: RowOutcome) => Promise<void>;
  /** Maximum number of batches in flight. */
  readonly concurrency: number;
  /** Stops the import when aborted. */
  readonly stop: AbortSignal;
}

interface PendingBatch {
  readonly rows: readonly ImportRow[];
  readonly outcomes: Promise<readonly RowOutcome[]>;
}

/**
 * Imports rows in concurrent batches until the rows end, an outcome is fatal, or `stop` aborts. Then waits for the
 * batches in flight and reports their outcomes.
 *
 * @throws the reason of `stop`, the fatal error, or the error from reading the rows.
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
