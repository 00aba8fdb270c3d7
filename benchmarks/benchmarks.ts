import { writeFile } from "node:fs/promises";
import pg from "pg";
import { checkAnswers } from "./answer-check.ts";
import { compare } from "./comparison.ts";
import { resetDatabase, seedDatabase } from "./database-seed.ts";
import { startLoadGenerator } from "./load/load.ts";
import { calltrack } from "./peers/calltrack.ts";
import { fastifyPeer } from "./peers/fastify.ts";
import { type RunningPeer, startPeer } from "./peers/peer.ts";
import { startPostgres } from "./postgres.ts";
import { formatMeasurements, formatResults, type Result } from "./report.ts";
import { type RoundPlan, runRounds } from "./rounds.ts";
import { createPool } from "./workloads/create-pool.ts";
import { getPool } from "./workloads/get-pool.ts";
import { listPools } from "./workloads/list-pools.ts";

/** Ours is the first, and makes the tables that the others use. */
const PEERS = [calltrack, fastifyPeer];

const WORKLOADS = [getPool, createPool, listPools];

/** How much to measure, and whether it is worth keeping. */
export interface Effort extends RoundPlan {
  readonly writesResults: boolean;
}

/**
 * Measures every server under every workload, and shows the results.
 *
 * @param resources what is started is ended with them; this ends nothing itself.
 */
export async function runBenchmarks(resources: AsyncDisposableStack, effort: Effort): Promise<void> {
  const databaseUrl = await startPostgres(resources);
  const peers: RunningPeer[] = [];
  for (const peer of PEERS) peers.push(await startPeer(resources, peer, databaseUrl));
  const client = await connect(resources, databaseUrl);
  const seed = await seedDatabase(client);
  await checkAnswers(peers, WORKLOADS, seed);
  const generateLoad = startLoadGenerator(resources);
  const results: Result[] = [];
  for (const workload of WORKLOADS) {
    console.log(`\n${workload.title}`);
    const reset = () => resetDatabase(client);
    const rounds = await runRounds(peers, workload, workload.requests(seed), effort, generateLoad, reset);
    peers.forEach(({ peer }, index) => {
      const own = rounds.flatMap((round) => round[index] ?? []);
      console.log(formatMeasurements(peer.title, own));
      if (index > 0)
        results.push({ workload: workload.title, peer: peer.title, comparison: compare(rounds, 0, index) });
    });
  }
  const { rows } = await client.query("select split_part(current_setting('server_version'), ' ', 1) as version");
  const page = formatResults(results, effort, rows[0].version);
  console.log(`\n${page}`);
  if (effort.writesResults) await writeFile(new URL("./RESULTS.md", import.meta.url), page);
}

async function connect(resources: AsyncDisposableStack, connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  // Told when the database ends before it does.
  client.on("error", () => {});
  resources.defer(() => client.end());
  return client;
}
