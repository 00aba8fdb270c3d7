import { writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import pg from "pg";
import { formatRatio, type Spread, spreadOf } from "../comparison.ts";
import { resetDatabase, seedDatabase } from "../database-seed.ts";
import { startLoadGenerator } from "../load/load.ts";
import { pinToCore } from "../pin-to-core.ts";
import { startPostgres } from "../postgres.ts";
import { processTree } from "../process-figures.ts";
import { type Contestant, type RoundPlan, runRounds } from "../rounds.ts";
import { table } from "../table.ts";
import { createPool, getPool, listPools } from "../workloads/json-workloads.ts";
import type { Workload } from "../workloads/workload.ts";
import { type Cost, createCostContestant, findPostmaster } from "./cost-under-load.ts";
import { APART, GROWING, type SetUp, startSetUp } from "./set-up.ts";

const FULL: RoundPlan = { rounds: 5, roundSeconds: 3, warmUpSeconds: 3 };
const QUICK: RoundPlan = { rounds: 2, roundSeconds: 1, warmUpSeconds: 2 };

/** Load of each process: low enough that four of them, the database and the generator do not compete for the CPU. */
const REQUESTS_PER_SECOND = 500;

const WORKLOADS = [getPool, listPools, createPool];

/** Connections for all set-ups, which stay connected while the others are measured. */
const SETTINGS = ["max_connections=400"];

/** Costs of all set-ups under one workload, by round. */
interface Results {
  readonly workload: Workload;
  /** The growing set-ups. */
  readonly rounds: readonly (readonly Cost[])[];
  /** The set-ups apart from the database; empty if processes cannot be pinned to cores. */
  readonly apart: readonly (readonly Cost[])[];
}

/**
 * Measures the cost of a request with several servers and workers. Prints the results, and writes them unless the run is quick.
 */
export async function runServersBenchmark(resources: AsyncDisposableStack, quick: boolean): Promise<void> {
  const plan = quick ? QUICK : FULL;
  const page = formatPage(await measureSetUps(resources, plan), plan);
  console.log(page);
  if (!quick) await writeFile(new URL("../RESULTS-servers.md", import.meta.url), page);
}

async function measureSetUps(resources: AsyncDisposableStack, plan: RoundPlan): Promise<Results[]> {
  const databaseUrl = await startPostgres(resources, SETTINGS);
  const postmaster = await findPostmaster(databaseUrl);
  const start = (setUp: SetUp) => startSetUp(resources, setUp, databaseUrl);
  const [one, ...more] = GROWING;
  // The first server creates the schema.
  const growing = [await start(one as SetUp), ...(await Promise.all(more.map(start)))];
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  client.on("error", () => {});
  resources.defer(() => client.end());
  const seed = await seedDatabase(client);
  const generateLoad = startLoadGenerator(resources);
  const measure = async (workload: Workload, contestants: Contestant<Cost>[]) =>
    runRounds(contestants, plan, async () => {
      if (workload.isWriting) await resetDatabase(client);
    });
  const results: Results[] = [];
  for (const workload of WORKLOADS) {
    console.log(workload.title);
    const requests = workload.requests(seed);
    const contestants = growing.map((each) =>
      createCostContestant(each, postmaster, workload, requests, generateLoad, REQUESTS_PER_SECOND),
    );
    results.push({ workload, rounds: await measure(workload, contestants), apart: [] });
  }
  const apart = await Promise.all(APART.map(start));
  const pids = apart.flatMap(({ servers }) => servers.flatMap(({ pid }) => processTree(pid)));
  // The databases and the generator are descendants of this process, as all servers.
  if (!pinToCore(1, processTree(process.pid)) || !pinToCore(0, pids)) return results;
  for (const [place, { workload, rounds }] of results.entries()) {
    const requests = workload.requests(seed);
    const contestants = apart.map((each) => createCostContestant(each, postmaster, workload, requests, generateLoad));
    results[place] = { workload, rounds, apart: await measure(workload, contestants) };
  }
  return results;
}

function formatPage(results: readonly Results[], { rounds, roundSeconds }: RoundPlan): string {
  return `# Results of several servers

Cost of a request on several servers with one PostgreSQL: CPU time in microseconds, of all server processes
together and of PostgreSQL. Figures are the median of ${rounds} rounds of ${roundSeconds} s, with minimum and maximum in brackets. See [README](README.md#several-servers).

## Growing numbers of processes

Each process gets ${REQUESTS_PER_SECOND} requests a second. If requests cost the same with more processes, capacity grows with the number of
processes, as long as there are free cores.

${results.map((each) => growthTable(each)).join("\n\n")}

## Two workers, with the database elsewhere

The servers share one core; PostgreSQL and the load have the other. So a request of two workers costs more only because there are two processes.

${results.map((each) => apartTable(each)).join("\n\n")}

Measured by \`npm run bench -- servers\` on ${cpus().length} cores, shared by servers, database and load, with Node.js ${process.versions.node}.
`;
}

function growthTable({ workload, rounds }: Results): string {
  const rows = GROWING.map(({ title }, place) => [
    title,
    micro(rounds, place, "servers"),
    micro(rounds, place, "database"),
  ]);
  return table([workload.title, "servers, µs", "PostgreSQL, µs"], rows);
}

function apartTable({ workload, apart }: Results): string {
  if (apart.length === 0) return "Processes could not be pinned to cores, so this part is missing.";
  const ratios = spreadOf(apart.map(([one, two]) => (two?.servers ?? Number.NaN) / (one?.servers ?? Number.NaN)));
  const rows = APART.map(({ title }, place) => [
    title,
    micro(apart, place, "servers"),
    micro(apart, place, "database"),
    place === 0 ? "" : formatRatio(ratios),
  ]);
  return table([workload.title, "servers, µs", "PostgreSQL, µs", "servers, relative to one"], rows);
}

function micro(rounds: Results["rounds"], place: number, figure: keyof Cost): string {
  const { median, min, max }: Spread = spreadOf(rounds.map((round) => round[place]?.[figure] ?? Number.NaN));
  return `**${median.toFixed(1)}** (${min.toFixed(1)}–${max.toFixed(1)})`;
}
