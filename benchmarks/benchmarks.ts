import pg from "pg";
import { type BenchmarkContext, peersServing } from "./bench.ts";
import { resetDatabase, seedDatabase } from "./database-seed.ts";
import { checkGrpcResponses } from "./grpc-response-check.ts";
import { checkJsonResponses } from "./json-response-check.ts";
import { type LoadResults, measureLatencyAtLoads } from "./latency-at-load.ts";
import { startLoadGenerator } from "./load/load.ts";
import { buildGoPeers } from "./peers/go-peers.ts";
import { type Peer, type RunningPeer, startPeer } from "./peers/peer.ts";
import { calltrack } from "./peers/peers.ts";
import { findPgbench } from "./pgbench.ts";
import { startPostgres } from "./postgres.ts";
import type { RoundPlan } from "./rounds.ts";
import { measureSaturation, type SaturationResults } from "./saturation.ts";
import { measureStarts, type Starts } from "./starts.ts";
import type { Workload } from "./workloads/workload.ts";

/** The extent of a run. */
export interface BenchmarkPlan {
  readonly saturation: RoundPlan;
  readonly fixedLoads: RoundPlan;
  readonly starts: number;
}

/** The selected servers and workloads. */
export interface Selection {
  /** The servers to compare with Calltrack. */
  readonly peers: readonly Peer[];
  readonly withPgbench: boolean;
  readonly workloads: readonly Workload[];
}

/** All results of a run. */
export interface Results {
  readonly saturation: readonly SaturationResults[];
  readonly loads: readonly LoadResults[];
  readonly starts: Starts;
  readonly hasPgbench: boolean;
  /** The version of Go of the peers in Go; undefined if there are none. */
  readonly goVersion: string | undefined;
  /** Why the peers in Go are left out, as a sentence; undefined if they are not, or not selected. */
  readonly goProblem: string | undefined;
  readonly postgresVersion: string;
}

/**
 * Measures every server under every workload that it serves, and prints each result.
 *
 * @param resources own everything that is started; the caller disposes them.
 */
export async function runBenchmarks(
  resources: AsyncDisposableStack,
  effort: BenchmarkPlan,
  { peers: selected, withPgbench, workloads }: Selection,
): Promise<Results> {
  const { peers: built, goVersion, goProblem } = await buildGoPeers(resources, selected);
  // The pools of all peers stay connected.
  const databaseUrl = await startPostgres(resources, ["max_connections=300"]);
  const peers: RunningPeer[] = [];
  for (const peer of [calltrack, ...built]) peers.push(await startPeer(resources, peer, databaseUrl));
  const client = await connect(resources, databaseUrl);
  const seed = await seedDatabase(client);
  await checkJsonResponses(peersServing(peers, "json"), seed);
  await checkGrpcResponses(peersServing(peers, "grpc"), seed);
  const bench: BenchmarkContext = {
    peers,
    seed,
    generateLoad: startLoadGenerator(resources),
    pgbench: withPgbench ? findPgbench(resources, databaseUrl) : undefined,
    reset: async (workload) => {
      if (workload.isWriting) await resetDatabase(client);
    },
  };
  const saturation: SaturationResults[] = [];
  for (const workload of workloads) saturation.push(await measureSaturation(bench, workload, effort.saturation));
  const loads: LoadResults[] = [];
  for (const results of saturation) loads.push(...(await measureLatencyAtLoads(bench, results, effort.fixedLoads)));
  const [starts] = await measureStarts(resources, effort.starts, [{ build: calltrack, databaseUrl }]);
  if (starts === undefined) throw new Error("no start was measured");
  const { rows } = await client.query("select split_part(current_setting('server_version'), ' ', 1) as version");
  const hasPgbench = bench.pgbench !== undefined;
  return { saturation, loads, starts, hasPgbench, goVersion, goProblem, postgresVersion: rows[0].version };
}

async function connect(resources: AsyncDisposableStack, connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  // pg reports the end of the database here when it ends before the pool.
  client.on("error", () => {});
  resources.defer(() => client.end());
  return client;
}
