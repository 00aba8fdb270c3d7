import { formatRatioSpread } from "../comparison.ts";
import { expectEqualValues } from "../expect-equal-values.ts";
import { startLoadGenerator } from "../load/load-generator.ts";
import { formatMarkdownTable } from "../markdown-table.ts";
import { startPeer } from "../peers/peer.ts";
import { calltrackPeer } from "../peers/peers.ts";
import { connectToPostgres, startPostgres } from "../postgres.ts";
import { publishResults } from "../results-page.ts";
import type { RoundPlan } from "../rounds.ts";
import { requestJson } from "../workloads/send-json.ts";
import type { LoadRequest } from "../workloads/workload.ts";
import { seedCalls } from "./calls-seed.ts";
import { findPsql } from "./psql.ts";
import { compareReportsWithPsql, type ReportComparison } from "./report-comparison.ts";

const FULL = {
  calls: 1_000_000,
  // Long rounds, because a report can take several seconds.
  rounds: { rounds: 5, roundSeconds: 10, warmUpSeconds: 10 },
};
const QUICK = {
  calls: 100_000,
  rounds: { rounds: 3, roundSeconds: 1, warmUpSeconds: 1 },
};

/**
 * Compares the time of reports on a million calls with the time of equivalent SQL in psql. Prints the results. A full run also writes them to the
 * results page.
 */
export async function runCallsBenchmark(resources: AsyncDisposableStack, quick: boolean): Promise<void> {
  const { calls, rounds } = quick ? QUICK : FULL;
  const { url: databaseUrl } = await startPostgres(resources);
  const psql = findPsql(resources, databaseUrl);
  // The server starts before the database is filled, because the server creates the schema.
  const server = await startPeer(resources, calltrackPeer, databaseUrl);
  const client = await connectToPostgres(resources, databaseUrl);
  const seed = await seedCalls(client, calls);
  const report: LoadRequest = { method: "GET", path: "/dni_manager/accounts/1/calls:report" };
  expectEqualValues("a report of all calls", [calls, JSON.parse(await requestJson(server.port, report))[0].calls]);
  const generateLoad = await startLoadGenerator(resources);
  const reports = await compareReportsWithPsql(seed, server, psql, generateLoad, rounds);
  await publishResults("calls", formatPage(reports, calls, rounds), !quick);
}

function formatPage(reports: readonly ReportComparison[], calls: number, { rounds, roundSeconds }: RoundPlan): string {
  return `# Results of the calls benchmark

An account with ${calls.toLocaleString("en")} calls over 30 days. Each ratio is the median of ${rounds} alternating rounds of ${roundSeconds} s, with
minimum and maximum in brackets. See [README](README.md#calls).

Time over HTTP, divided by the time that psql reports for the SQL that a person would write for the same result. The goal for reports is
at most 1.5×.

${formatMarkdownTable(
  ["report", "HTTP / psql", "HTTP", "psql"],
  reports.map(({ title, ratio, httpMs, psqlMs }) => [
    title,
    formatRatioSpread(ratio),
    `${httpMs.toFixed(1)} ms`,
    `${psqlMs.toFixed(1)} ms`,
  ]),
)}
`;
}
