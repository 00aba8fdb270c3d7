import { groupIntoPages } from "../connection/group-into-pages.js";
import type { RowGroup } from "./import-row.js";
import type { RowOutcome } from "./row-outcome.js";

export interface ImportRowsOptions {
  readonly groups: AsyncIterable<RowGroup>;
  /** Number of groups per batch. */
  readonly batchSize: number;
  /** Imports a batch and returns an outcome for each group. Called in the order of the file. Must not reject. */
  readonly importBatch: (groups: readonly RowGroup[]) => Promise<readonly RowOutcome[]>;
  /** Called with the outcome of each group, in order. */
  readonly onOutcome: (group: RowGroup, outcome: RowOutcome) => Promise<void>;
  /** Maximum number of batches in flight. */
  readonly concurrency: number;
  /** Stops the import when aborted. */
  readonly stop: AbortSignal;
}

interface PendingBatch {
  readonly groups: readonly RowGroup[];
  readonly outcomes: Promise<readonly RowOutcome[]>;
}

/**
 * Imports groups of rows in concurrent batches until the rows end, an outcome is fatal, or `stop` aborts. Then waits for the batches in
 * flight and reports their outcomes.
 *
 * @throws the reason of `stop`, the fatal error, or the error from reading the rows.
 */
export async function importRows(plan: ImportRowsOptions): Promise<void> {
  const pending: PendingBatch[] = [];
  const errors: unknown[] = [];
  const settleOldest = async (): Promise<void> => {
    const oldest = pending.shift();
    if (oldest === undefined) return;
    const outcomes = (await oldest.outcomes).values();
    for (const group of oldest.groups) {
      const outcome: RowOutcome = outcomes.next().value ?? { kind: "unanswered" };
      if (outcome.fatal !== undefined) errors.push(outcome.fatal);
      await plan.onOutcome(group, outcome);
    }
  };
  try {
    for await (const groups of groupIntoPages(plan.groups, plan.batchSize)) {
      plan.stop.throwIfAborted();
      pending.push({ groups, outcomes: plan.importBatch(groups) });
      if (pending.length >= plan.concurrency) await settleOldest();
      if (errors.length > 0) break;
    }
  } catch (error) {
    errors.push(error);
  }
  while (pending.length > 0) await settleOldest();
  if (errors.length > 0) throw errors[0];
}
