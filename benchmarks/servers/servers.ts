import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import pg from "pg";
import { type Spread, spreadOf } from "../comparison.ts";
import { resetDatabase, seedDatabase } from "../database-seed.ts";
import { startLoadGenerator } from "../load/load.ts";
import { startPostgres, startStandby } from "../postgres.ts";
import { type RoundPlan, runRounds } from "../rounds.ts";
import { table } from "../table.ts";
import { createPool, getPool, listPools } from "../workloads/json-workloads.ts";
import type { Workload } from "../workloads/workload.ts";
import { type Cost, createCostContestant, findPostmaster } from "./cost-under-load.ts";
import { GROWING, SATURATED, type SetUp, startSetUp } from "./set-up.ts";

const FULL: RoundPlan = { rounds: 7, roundSeconds: 4, warmUpSeconds: 4 };
const QUICK: RoundPlan = { rounds: 2, roundSeconds: 1, warmUpSeconds: 2 };

/** Load of each process: low enough that four of them, the database and the generator do not compete for the CPU. */
const REQUESTS_PER_SECOND = 500;

/** Connections for all set-ups, which stay connected while the others are measured. */
const SETTINGS = ["max_connections=400"];

/** Costs of all set-ups under one workload, by round: first the growing set-ups, then the saturated ones. */
interface Results {
  readonly workload: Workload;
  readonly rounds: readonly (readonly Cost[])[];
}

/**
 * Measures the cost of a request with several servers, workers and a replica. Prints the results, and writes them unless the
 * run is quick.
 */
export async function runServersBenchmark(resources: AsyncDisposableStack, quick: boolean): Promise<void> {
  const plan = quick ? QUICK : FULL;
  const page = formatPage(await measureSetUps(resources, plan), plan);
  console.log(page);
  if (!quick) await writeFile(new URL("../RESULTS-servers.md", import.meta.url), page);
}

async function measureSetUps(resources: AsyncDisposableStack, plan: RoundPlan): Promise<Results[]> {
  const primaryUrl = await startPostgres(resources, SETTINGS);
  const replicaUrl = await startStandby(resources, primaryUrl, SETTINGS);
  const databases = { primary: await findPostmaster(primaryUrl), standby: await findPostmaster(replicaUrl) };
  const start = (setUp: SetUp) => startSetUp(resources, setUp, primaryUrl, replicaUrl);
  // The first server creates the schema.
  const busy = [await start(SATURATED[0] as SetUp), ...(await Promise.all(SATURATED.slice(1).map(start)))];
  const growing = await Promise.all(GROWING.map(start));
  const client = new pg.Client({ connectionString: primaryUrl });
  await client.connect();
  client.on("error", () => {});
  resources.defer(() => client.end());
  const seed = await seedDatabase(client);
  const generateLoad = startLoadGenerator(resources);
  const results: Results[] = [];
  for (const workload of [getPool, listPools, createPool]) {
    console.log(workload.title);
    const requests = workload.requests(seed);
    const contestants = [
      ...growing.map((each) =>
        createCostContestant(each, databases, workload, requests, generateLoad, REQUESTS_PER_SECOND),
      ),
      ...busy.map((each) => createCostContestant(each, databases, workload, requests, generateLoad)),
    ];
    const rounds = await runRounds(contestants, plan, async () => {
      if (workload.isWriting) await resetDatabase(client);
    });
    results.push({ workload, rounds });
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

## One saturated server, with and without a replica

${results.map((each) => replicaTable(each)).join("\n\n")}

Measured by \`npm run bench -- servers\` on ${availableParallelism()} cores, shared by servers, database and load, with Node.js ${process.versions.node}.
`;
}

function growthTable({ workload, rounds }: Results): string {
  const rows = GROWING.map(({ title }, place) => [
    title,
    micro(rounds, place, "servers"),
    micro(rounds, place, "primary"),
  ]);
  return table([workload.title, "servers, µs", "PostgreSQL, µs"], rows);
}

function replicaTable({ workload, rounds }: Results): string {
  const rows = SATURATED.map(({ title, hasReplica }, index) => {
    const place = GROWING.length + index;
    const standby = hasReplica ? micro(rounds, place, "standby") : "";
    return [title, micro(rounds, place, "servers"), micro(rounds, place, "primary"), standby];
  });
  return table([workload.title, "server, µs", "PostgreSQL, µs", "standby, µs"], rows);
}

function micro(rounds: Results["rounds"], place: number, figure: keyof Cost): string {
  const { median, min, max }: Spread = spreadOf(rounds.map((round) => round[place]?.[figure] ?? Number.NaN));
  return `**${median.toFixed(1)}** (${min.toFixed(1)}–${max.toFixed(1)})`;
}
