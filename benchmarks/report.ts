import { availableParallelism } from "node:os";
import { type Comparison, type Figure, type Spread, spreadOf } from "./comparison.ts";
import { CONNECTIONS, type Measurement, type RoundPlan } from "./rounds.ts";

/** The comparison of our server with one other under one workload. */
export interface Result {
  readonly workload: string;
  readonly peer: string;
  readonly comparison: Comparison;
}

/** The results as a page in Markdown. It holds nothing that names the machine. */
export function formatResults(results: readonly Result[], plan: RoundPlan, postgresVersion: string): string {
  const rows = results.map(({ workload, peer, comparison }) => [
    workload,
    peer,
    ...FIGURES.map((f) => ratio(comparison[f])),
  ]);
  return `# Results

Calltrack's figure divided by the other server's, in the same round: the median of ${plan.rounds} rounds of ${plan.roundSeconds} s, and in
brackets the least and the greatest. Of requests per second more is better, of all else less. See [README](README.md).

${table(["workload", "beside", "requests/s", "p50 latency", "p99 latency", "server CPU per request"], rows)}

Measured by \`npm run bench\` with ${CONNECTIONS} connections on ${availableParallelism()} cores, Node.js ${process.versions.node}, PostgreSQL ${postgresVersion} with its default
settings; servers, database and load on one machine.
`;
}

/** What one server has met with in all rounds, in absolute figures, as a line for a person who watches. */
export function formatMeasurements(title: string, measurements: readonly Measurement[]): string {
  const median = (figure: Figure | "generatorUse") => spreadOf(measurements.map((each) => each[figure])).median;
  return [
    title.padEnd(16),
    `${Math.round(median("requestsPerSecond"))} requests/s`.padStart(18),
    `p50 ${median("p50").toFixed(2)} ms`.padStart(14),
    `p99 ${median("p99").toFixed(2)} ms`.padStart(14),
    `server CPU ${median("cpuMicroseconds").toFixed(0)} µs`.padStart(20),
    `generator ${Math.round(median("generatorUse") * 100)} % busy`.padStart(22),
  ].join("");
}

const FIGURES: readonly Figure[] = ["requestsPerSecond", "p50", "p99", "cpuMicroseconds"];

function ratio({ median, min, max }: Spread): string {
  if (Number.isNaN(median)) return "–";
  return `**${median.toFixed(2)}×** (${min.toFixed(2)}–${max.toFixed(2)})`;
}

/** A table in Markdown. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}
