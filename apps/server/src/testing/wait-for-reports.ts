import { expect } from "vitest";
import { readMetric } from "./read-metric.js";

/**
 * Waits until a server has recorded the reports that it has answered. On a busy machine, recording can outlast the deadline of the answer:
 * then the report waits in the journal.
 */
export async function waitForReports({ opsUrl }: { readonly opsUrl: string }): Promise<void> {
  await expect.poll(() => readMetric(opsUrl, "calltrack_journal_entries")).toBe(0);
}
