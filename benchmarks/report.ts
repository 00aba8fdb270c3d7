import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import type { BenchmarkPlan, Results } from "./benchmarks.ts";
import { type Figure, formatMilliseconds, formatRatio } from "./comparison.ts";
import { type LoadResults, PERCENTILES } from "./latency-at-load.ts";
import { drawLatencyPlot } from "./plotting/latency-plot.ts";
import { drawThroughputPlot } from "./plotting/throughput-plot.ts";
import type { SaturationResults } from "./saturation.ts";
import { CONCURRENCY } from "./server-under-load.ts";
import { table } from "./table.ts";

const FIGURES: readonly Figure[] = ["requestsPerSecond", "p50", "p99", "p999", "cpuMicroseconds"];

/** Writes the results page and its plots into this folder. */
export async function writeResults(results: Results, effort: BenchmarkPlan): Promise<void> {
  const file = (name: string) => new URL(name, import.meta.url);
  // Keeps the plots of other benchmarks.
  await mkdir(file("./plots"), { recursive: true });
  for (const { name, content } of plotsOf(results)) await writeFile(file(`./plots/${name}.svg`), content);
  await writeFile(file("./RESULTS.md"), formatResults(results, effort));
}

interface Plot {
  readonly name: string;
  readonly title: string;
  readonly content: string;
}

function plotsOf({ saturation, loads }: Results): Plot[] {
  const throughput = { name: "throughput", title: "requests per second", content: drawThroughputPlot(saturation) };
  return [throughput, ...workloadsOf(loads).map((own) => latencyPlotOf(own))];
}

function latencyPlotOf(results: readonly LoadResults[]): Plot {
  const { name = "", title = "" } = results[0]?.workload ?? {};
  return {
    name: `latency-${name}`,
    title: `${title}: latency at fixed loads`,
    content: drawLatencyPlot(title, results),
  };
}

function workloadsOf(loads: readonly LoadResults[]): LoadResults[][] {
  return [...Map.groupBy(loads, ({ workload }) => workload).values()];
}

/** Formats the results as a Markdown page, without details that identify the machine. */
export function formatResults(results: Results, { saturation, fixedLoads, starts }: BenchmarkPlan): string {
  const images = plotsOf(results).map(({ name, title }) => `![${title}](plots/${name}.svg)`);
  return `# Results

Each ratio is Calltrack's figure divided by the other server's in the same round. It shows the median of the rounds, with minimum and
maximum in brackets. Higher is better for requests per second, lower for all else. See [README](README.md#reading-the-results).

## Saturated servers

${CONCURRENCY} requests are in flight; ${saturation.rounds} rounds of ${saturation.roundSeconds} s. The load generator was busy for at most ${percent(generatorUse(results))} of the time.

${saturationTable(results.saturation)}

${results.goProblem === undefined ? "" : `The servers in Go are missing: ${results.goProblem}\n\n`}${images[0]}

## Relative to PostgreSQL alone

${pgbenchSection(results)}

## Latency at fixed loads

Requests are due at predetermined times, and queue if necessary. Both servers get the same load, a fraction of the other
server's maximum. There are ${fixedLoads.rounds} rounds of ${fixedLoads.roundSeconds} s. Brackets show the medians in milliseconds, Calltrack : the other. Like the plots, they are
specific to one machine, on which servers, database and load share the CPU.

${latencyTable(results.loads)}

${images.slice(1).join("\n\n")}

## Memory and start

Resident memory at the end of a saturated round, for the workload with the maximum:

${memoryTable(results.saturation)}

Time from the start of Calltrack's process to its first response from the database, in milliseconds, over ${starts} starts:

${table(
  ["database", "first response, ms"],
  [
    ["PostgreSQL", formatMilliseconds(results.starts.postgres)],
    ["embedded, with existing files", formatMilliseconds(results.starts.embedded)],
  ],
)}

Measured by \`npm run bench\` on ${availableParallelism()} cores, Node.js ${process.versions.node}${results.goVersion === undefined ? "" : `, Go ${results.goVersion}`}, PostgreSQL ${results.postgresVersion} with default settings but 300 connections;
servers, database and load share one machine.
`;
}

function saturationTable(results: readonly SaturationResults[]): string {
  const rows = results.flatMap(({ workload, servers }) =>
    servers
      .slice(1)
      .map(({ server, comparison }) => [
        workload.title,
        server.peer.title,
        ...FIGURES.map((figure) => formatRatio(comparison[figure])),
      ]),
  );
  const heads = ["requests/s", "p50 latency", "p99 latency", "p99.9 latency", "server CPU per request"];
  return table(["workload", "server", ...heads], rows);
}

function pgbenchSection({ saturation, hasPgbench }: Results): string {
  if (!hasPgbench) return "`pgbench` was not installed or not selected, so this part is missing.";
  const rows = saturation.flatMap(({ workload, shareOfPgbench }) =>
    shareOfPgbench === undefined ? [] : [[workload.title, formatRatio(shareOfPgbench)]],
  );
  return `\`pgbench\` runs the prepared statement of the servers on pg, one per transaction, on 16 connections: PostgreSQL's maximum if nothing
else runs on the machine. Each ratio is Calltrack's requests per second divided by pgbench's transactions per
second. Above 1, requests share statements and commits.

${table(["workload", "relative to pgbench"], rows)}`;
}

function latencyTable(loads: readonly LoadResults[]): string {
  const rows = loads.flatMap(({ workload, peer, points }) =>
    points.map(({ share, latencies }) => [
      workload.title,
      peer,
      percent(share),
      ...PERCENTILES.map((name) => {
        const { ours, theirs, ratio } = latencies[name];
        return `**${ratio.median.toFixed(2)}×** (${ours.toFixed(2)} : ${theirs.toFixed(2)})`;
      }),
    ]),
  );
  return table(["workload", "server", "load", "p50", "p99", "p99.9"], rows);
}

function memoryTable(results: readonly SaturationResults[]): string {
  const most = new Map<string, number>();
  for (const { server, residentBytes } of results.flatMap(({ servers }) => servers)) {
    most.set(server.peer.title, Math.max(most.get(server.peer.title) ?? 0, residentBytes));
  }
  return table(
    ["server", "MB"],
    [...most].map(([title, bytes]) => [title, (bytes / 1e6).toFixed(0)]),
  );
}

function generatorUse({ saturation }: Results): number {
  return Math.max(...saturation.flatMap(({ servers }) => servers.map((each) => each.generatorUse)));
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
