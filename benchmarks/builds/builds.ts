import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { compare, type Figure, formatMilliseconds, formatRatio } from "../comparison.ts";
import { resetDatabase, seedDatabase } from "../database-seed.ts";
import { startLoadGenerator } from "../load/load.ts";
import { type Peer, startPeer } from "../peers/peer.ts";
import { calltrack } from "../peers/peers.ts";
import { startPostgres } from "../postgres.ts";
import { type RoundPlan, runRounds } from "../rounds.ts";
import { createLoadContestant } from "../server-under-load.ts";
import { measureStarts } from "../starts.ts";
import { table } from "../table.ts";
import type { Workload } from "../workloads/workload.ts";

const FULL: RoundPlan = { rounds: 11, roundSeconds: 2, warmUpSeconds: 3 };
const QUICK: RoundPlan = { rounds: 3, roundSeconds: 1, warmUpSeconds: 2 };

const FIGURES: readonly Figure[] = ["requestsPerSecond", "cpuMicroseconds", "p50", "p99", "residentBytes"];

/**
 * Measures this build of Calltrack relative to an older one: saturated, and at the start. Prints the results, and writes nothing.
 *
 * @param folder the checkout of the older build, built.
 */
export async function runBuildsBenchmark(
  resources: AsyncDisposableStack,
  workloads: readonly Workload[],
  folder: string,
  quick: boolean,
): Promise<void> {
  const plan = quick ? QUICK : FULL;
  const older: Peer = {
    ...calltrack,
    name: "older",
    title: "the older build",
    program: findProgram(folder),
  };
  const postgresUrl = await startPostgres(resources);
  const builds = [await startBuild(resources, calltrack, postgresUrl), await startBuild(resources, older, postgresUrl)];
  const generateLoad = startLoadGenerator(resources);
  const rows: string[][] = [];
  for (const workload of workloads) {
    const contestants = builds.map(({ server, seed }) =>
      createLoadContestant(server, workload, workload.requests(seed), generateLoad),
    );
    const rounds = await runRounds(contestants, plan, async () => {
      if (workload.isWriting) await Promise.all(builds.map(({ client }) => resetDatabase(client)));
    });
    const comparison = compare(rounds, 0, 1);
    rows.push([workload.title, ...FIGURES.map((figure) => formatRatio(comparison[figure]))]);
    console.log(rows.at(-1)?.join("  "));
  }
  console.log(`\n${table(["this build / the older one", "requests/s", "CPU time", "p50", "p99", "memory"], rows)}`);
  const starts = await measureStarts(resources, plan.rounds, builds);
  const startRows = starts.map(({ postgres, embedded }, place) => [
    builds[place]?.build.title ?? "",
    formatMilliseconds(postgres),
    formatMilliseconds(embedded),
  ]);
  console.log(`\n${table(["first response, ms", "PostgreSQL", "embedded, with existing files"], startRows)}`);
}

/** Returns the URL of the program that `npm start` runs; early builds are not bundled. */
function findProgram(folder: string): string {
  const [program] = ["apps/server/dist/bundle/main.js", "apps/server/dist/main.js"]
    .map((path) => resolve(folder, path))
    .filter((path) => existsSync(path));
  if (program === undefined) throw new Error(`${folder} has no built server: run \`npm run build\` in it`);
  return pathToFileURL(program).href;
}

/** Starts a build on a database of its own, because an older build may not know the newer schema. */
async function startBuild(resources: AsyncDisposableStack, build: Peer, postgresUrl: string) {
  const databaseUrl = await createDatabase(postgresUrl, build.name);
  const server = await startPeer(resources, build, databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  client.on("error", () => {});
  resources.defer(() => client.end());
  return { build, databaseUrl, server, client, seed: await seedDatabase(client) };
}

async function createDatabase(postgresUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(`create database "${name}"`);
  await client.end();
  const url = new URL(postgresUrl);
  url.pathname = name;
  return url.href;
}
