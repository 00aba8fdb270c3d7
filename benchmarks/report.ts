import { availableParallelism } from "node:os";
import type { BenchmarkPlan, BenchmarkResults, WorkloadResults } from "./benchmarks.ts";
import { type LoadMeasurement, REQUESTS_IN_FLIGHT } from "./checked-load.ts";
import {
  computeRoundRatios,
  computeSpread,
  formatRatioSpread,
  formatWholeNumberSpread,
  type Spread,
} from "./comparison.ts";
import { formatMarkdownTable } from "./markdown-table.ts";

const FIGURES = ["p50", "p99", "cpuMicroseconds"] as const;

const MEMORY_GOAL_MB = 200;

/** Formats the results as a Markdown page, without details that identify the machine. */
export function formatResultsPage(results: BenchmarkResults, { runs, rounds }: BenchmarkPlan): string {
  const [first] = results.runs;
  const roundText = `${rounds.rounds} rounds of ${rounds.roundSeconds} s`;
  return `# Results

Each ratio is Calltrack's figure divided by the other server's in the same round. For requests per second, higher is better; for all other figures,
lower is better. ${runs === 1 ? `A ratio is the median of ${roundText}` : `A ratio is the median of ${runs} runs, each with new processes and the median of ${roundText}`}, with minimum and maximum in brackets. See [README](README.md#reading-the-results).

## Comparison with other servers

${REQUESTS_IN_FLIGHT} requests are in flight. A goal is the minimum ratio of requests per second. The load generator was busy for at most
${(maxGeneratorUse(results) * 100).toFixed(0)} % of the time.

${ratioTable(results)}
${results.goProblem === undefined ? "" : `\nThe Go peers are missing: ${results.goProblem}\n`}
## Calltrack alone

${absoluteTable(results)}

## Memory and start

Maximum resident memory at the end of a round. The goal for Calltrack is at most ${MEMORY_GOAL_MB} MB.

${memoryTable(results)}

Time from the start of Calltrack's process to its first response from the database: ${startText(results, "postgres")} ms on PostgreSQL,
${startText(results, "embedded")} ms on an embedded database with existing files.

Measured by \`npm run bench\` on ${availableParallelism()} cores, Node.js ${process.versions.node}${results.goVersion === undefined ? "" : `, Go ${results.goVersion}`}, PostgreSQL ${first?.postgresVersion} with default settings except 300 connections.
Servers, database and load share one machine.
`;
}

/** Groups the results by workload. Each group has an element for each run. */
function runsOf({ runs }: BenchmarkResults): (readonly WorkloadResults[])[] {
  const [first] = runs;
  return (first?.workloads ?? []).map((_, place) => runs.map(({ workloads }) => workloads[place] as WorkloadResults));
}

/** Returns the spread of a figure over the medians of the runs. For a single run, returns the figure's spread over the rounds. */
function spreadOfRuns(runs: readonly WorkloadResults[], read: (rounds: WorkloadResults["rounds"]) => number[]): Spread {
  const [first, ...others] = runs.map(({ rounds }) => read(rounds));
  if (others.length === 0) return computeSpread(first ?? []);
  return computeSpread([first ?? [], ...others].map((values) => computeSpread(values).median));
}

function ratioTable(results: BenchmarkResults): string {
  const rows = runsOf(results).flatMap((runs) => {
    const [{ workload, peers }] = runs as [WorkloadResults];
    return peers.slice(1).map(({ title, goals }, index) => {
      const ratio = (figure: keyof LoadMeasurement) =>
        spreadOfRuns(runs, (rounds) => computeRoundRatios(rounds, figure, 0, index + 1));
      const rate = ratio("requestsPerSecond");
      const goal = goals?.[workload.operation];
      const goalText = goal === undefined ? "" : `${goal.toFixed(2)}×${rate.median < goal ? ", **missed**" : ""}`;
      return [
        workload.title,
        title,
        formatRatioSpread(rate),
        goalText,
        ...FIGURES.map((each) => formatRatioSpread(ratio(each))),
      ];
    });
  });
  const heads = ["workload", "server", "requests/s", "goal", "p50 latency", "p99 latency", "server CPU per request"];
  return formatMarkdownTable(heads, rows);
}

function absoluteTable(results: BenchmarkResults): string {
  const rows = runsOf(results).map((runs) => {
    const figure = (name: keyof LoadMeasurement) =>
      spreadOfRuns(runs, (rounds) => rounds.map((round) => round[0]?.[name] ?? Number.NaN));
    const figures = [figure("requestsPerSecond"), figure("cpuMicroseconds")].map(formatWholeNumberSpread);
    const latencies = [figure("p50"), figure("p99")].map(({ median }) => median.toFixed(2));
    return [runs[0]?.workload.title ?? "", ...figures, ...latencies];
  });
  return formatMarkdownTable(["workload", "requests/s", "server CPU per request, µs", "p50, ms", "p99, ms"], rows);
}

function memoryTable({ runs }: BenchmarkResults): string {
  const most = new Map<string, number>();
  for (const { peers, rounds } of runs.flatMap(({ workloads }) => workloads)) {
    peers.forEach(({ title }, place) => {
      const bytes = rounds.map((round) => round[place]?.residentBytes ?? Number.NaN);
      most.set(title, Math.max(most.get(title) ?? 0, ...bytes));
    });
  }
  const rows = [...most].map(([title, bytes]) => [title, (bytes / 1e6).toFixed(0)]);
  return formatMarkdownTable(["server", "MB"], rows);
}

function startText({ runs }: BenchmarkResults, database: "postgres" | "embedded"): string {
  return formatWholeNumberSpread(computeSpread(runs.flatMap(({ starts }) => starts[database])));
}

function maxGeneratorUse({ runs }: BenchmarkResults): number {
  const rounds = runs.flatMap(({ workloads }) => workloads.flatMap((each) => each.rounds.flat()));
  return Math.max(...rounds.map(({ generatorUse }) => generatorUse));
}
