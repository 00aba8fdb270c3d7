import { expect } from "vitest";
import { readMetric } from "./read-metric.js";

/**
 * Waits until a server has recorded all call reports to which it has responded. On a busy machine, recording can take longer than the deadline of the
 * response. The report then waits in the journal.
 */
export async function waitForReports({ opsUrl }: { readonly opsUrl: string }): Promise<void> {
  await expect.poll(() => readMetric(opsUrl, "calltrack_journal_entries")).toBe(0);
}
