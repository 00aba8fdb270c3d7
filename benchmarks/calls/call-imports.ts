import { writeFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { startPostgres } from "../postgres.ts";
import { table } from "../table.ts";
import { type ImportRun, runImport } from "./import-run.ts";

/** Imports calls into PostgreSQL and into an embedded database. Prints the results, and writes those of a full run. */
export async function runCallImportsBenchmark(resources: AsyncDisposableStack, quick: boolean): Promise<void> {
  const runs = [
    await runImport(resources, await startPostgres(resources), quick ? 20_000 : 1_000_000),
    await runImport(resources, "", quick ? 5_000 : 50_000),
  ];
  const page = formatPage(runs);
  console.log(`\n${page}`);
  if (!quick) await writeFile(new URL("../RESULTS-call-imports.md", import.meta.url), page);
}

const HEADS = [
  ...["database", "calls", "calls/s", "recorded when killed", "then created", "already there", "calls at the end"],
  ...["peak memory of CLI", "of server"],
];

function formatPage(runs: readonly ImportRun[]): string {
  return `# Results of call imports

\`calltrack calls import\` of a CSV file into a new database, killed with SIGKILL when half of the calls are recorded, and repeated. The rate is
that of the first run. Calls that were recorded after the last count before SIGKILL are among those already there. See
[README](README.md#calls).

${table(HEADS, runs.map(rowOf))}

Measured by \`npm run bench -- call-imports\` on ${availableParallelism()} cores, shared by command line, server and database, with Node.js
${process.versions.node}. The load average was ${loadavg()[2]?.toFixed(1)} over the last 15 minutes.
`;
}

function rowOf(run: ImportRun): string[] {
  return [
    run.engine,
    run.calls.toLocaleString("en"),
    run.callsPerSecond.toFixed(0),
    ...[run.killedAfter, run.created, run.alreadyThere, run.found].map((count) => count.toLocaleString("en")),
    ...[run.cliMemory, run.serverMemory].map((bytes) => `${(bytes / 1e6).toFixed(0)} MB`),
  ];
}
