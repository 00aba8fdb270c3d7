import { formatRatio } from "../comparison.ts";
import { expectSame } from "../expect-same.ts";
import { startLoadGenerator } from "../load/load-generator.ts";
import { startPeer } from "../peers/peer.ts";
import { calltrack } from "../peers/peers.ts";
import { connect, startPostgres } from "../postgres.ts";
import { publishResults } from "../results-page.ts";
import type { RoundPlan } from "../rounds.ts";
import { table } from "../table.ts";
import { readJson } from "../workloads/send-json.ts";
import type { LoadRequest } from "../workloads/workload.ts";
import { seedCalls } from "./calls-seed.ts";
import { findPsql } from "./psql.ts";
import { compareReports, type ReportComparison } from "./report-comparison.ts";

const FULL = {
  calls: 1_000_000,
  // A report can take several seconds.
  rounds: { rounds: 5, roundSeconds: 10, warmUpSeconds: 10 },
};
const QUICK = {
  calls: 100_000,
  rounds: { rounds: 3, roundSeconds: 1, warmUpSeconds: 1 },
};

/** Compares reports on an account with a million calls with psql. Prints the results, and writes those of a full run. */
export async function runCallsBenchmark(resources: AsyncDisposableStack, quick: boolean): Promise<void> {
  const { calls, rounds } = quick ? QUICK : FULL;
  const { url: databaseUrl } = await startPostgres(resources);
  const psql = findPsql(resources, databaseUrl);
  // The server creates the schema.
  const server = await startPeer(resources, calltrack, databaseUrl);
  const client = await connect(resources, databaseUrl);
  const seed = await seedCalls(client, calls);
  const report: LoadRequest = { method: "GET", path: "/dni_manager/accounts/1/calls:report" };
  expectSame("a report of all calls", [calls, JSON.parse(await readJson(server.port, report))[0].calls]);
  const generateLoad = await startLoadGenerator(resources);
  const reports = await compareReports(seed, server, psql, generateLoad, rounds);
  await publishResults("calls", formatPage(reports, calls, rounds), !quick);
}

function formatPage(reports: readonly ReportComparison[], calls: number, { rounds, roundSeconds }: RoundPlan): string {
  return `# Results of the calls benchmark

An account with ${calls.toLocaleString("en")} calls over 30 days. Each ratio is the median of ${rounds} alternating rounds of ${roundSeconds} s, with
minimum and maximum in brackets. See [README](README.md#calls).

Time over HTTP, divided by the time that psql reports for the SQL that a person would write for the same result. The goal for reports is
at most 1.5×.

${table(
  ["report", "HTTP / psql", "HTTP", "psql"],
  reports.map(({ title, ratio, httpMs, psqlMs }) => [
    title,
    formatRatio(ratio),
    `${httpMs.toFixed(1)} ms`,
    `${psqlMs.toFixed(1)} ms`,
  ]),
)}
`;
}
