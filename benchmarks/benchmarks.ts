import { CONCURRENCY, type Measurement, runCheckedLoad } from "./checked-load.ts";
import { formatRatio, ratioOf, spreadOf } from "./comparison.ts";
import { countCreatedPools, resetDatabase, type Seed, seedDatabase } from "./database-seed.ts";
import { expectSame } from "./expect-same.ts";
import { checkGrpcResponses } from "./grpc-response-check.ts";
import { checkJsonResponses } from "./json-response-check.ts";
import type { LoadGenerator } from "./load/load.ts";
import { startLoadGenerator } from "./load/load-generator.ts";
import { type BuiltPeers, buildGoPeers } from "./peers/go-peers.ts";
import { type Peer, type RunningPeer, startPeer } from "./peers/peer.ts";
import { calltrack } from "./peers/peers.ts";
import { connect, startPostgres } from "./postgres.ts";
import { type RoundPlan, runRounds } from "./rounds.ts";
import { measureStarts, type Starts } from "./starts.ts";
import type { Workload } from "./workloads/workload.ts";

export interface BenchmarkPlan {
  /** Each run has new processes and a new database. */
  readonly runs: number;
  readonly rounds: RoundPlan;
  readonly starts: number;
}

export interface Selection {
  readonly peers: readonly Peer[];
  readonly workloads: readonly Workload[];
}

export interface Results extends Omit<BuiltPeers, "peers"> {
  readonly runs: readonly RunResults[];
}

export interface RunResults {
  readonly workloads: readonly WorkloadResults[];
  readonly starts: Starts;
  readonly postgresVersion: string;
}

export interface WorkloadResults {
  readonly workload: Workload;
  /** The servers that support its protocol, Calltrack first. */
  readonly peers: readonly Peer[];
  /** For each round, the measurements in the order of `peers`. */
  readonly rounds: readonly (readonly Measurement[])[];
}

/**
 * Measures every server under every workload that it supports, and prints each result.
 *
 * @param resources own everything that is started; the caller disposes them.
 */
export async function runBenchmarks(
  resources: AsyncDisposableStack,
  plan: BenchmarkPlan,
  selection: Selection,
): Promise<Results> {
  const { peers, ...go } = await buildGoPeers(resources, selection.peers);
  const runs: RunResults[] = [];
  for (let run = 1; run <= plan.runs; run++) {
    console.log(`\nRun ${run} of ${plan.runs}`);
    runs.push(await runOnce(resources, plan, { ...selection, peers }));
  }
  return { runs, ...go };
}

async function runOnce(
  resources: AsyncDisposableStack,
  { rounds: plan, starts: startCount }: BenchmarkPlan,
  { peers: selected, workloads: selectedWorkloads }: Selection,
): Promise<RunResults> {
  await using own = new AsyncDisposableStack();
  // The outer resources end the processes if the run is interrupted.
  resources.use(own);
  // The pools of all peers stay connected.
  const { url: databaseUrl } = await startPostgres(own, ["max_connections=300"]);
  const servers: RunningPeer[] = [];
  for (const peer of [calltrack, ...selected]) servers.push(await startPeer(own, peer, databaseUrl));
  const client = await connect(own, databaseUrl);
  const seed = await seedDatabase(client);
  const serving = ({ protocol }: Pick<Workload, "protocol">) =>
    servers.filter(({ peer }) => peer.protocols.includes(protocol));
  await checkJsonResponses(serving({ protocol: "json" }), seed);
  await checkGrpcResponses(serving({ protocol: "grpc" }), seed);
  const generateLoad = await startLoadGenerator(own);
  const workloads: WorkloadResults[] = [];
  for (const workload of selectedWorkloads) {
    const contestants = await createContestants(serving(workload), workload, seed, generateLoad, () =>
      countCreatedPools(client),
    );
    const rounds = await runRounds(contestants, plan, async () => {
      if (workload.operation === "create") await resetDatabase(client);
    });
    const results = { workload, peers: serving(workload).map(({ peer }) => peer), rounds };
    printResults(results);
    workloads.push(results);
  }
  const starts = await measureStarts(own, startCount, databaseUrl);
  const { rows } = await client.query("select split_part(current_setting('server_version'), ' ', 1) as version");
  return { workloads, starts, postgresVersion: rows[0].version };
}

/** Checks that the servers return equal responses, and returns a measurement function for each. */
async function createContestants(
  servers: readonly RunningPeer[],
  workload: Workload,
  seed: Seed,
  generateLoad: LoadGenerator,
  countPools: () => Promise<number>,
) {
  const requests = workload.requests(seed);
  const responses: string[] = [];
  for (const { port } of servers) responses.push(await workload.ask(port, seed));
  expectSame(workload.title, responses);
  return servers.map(({ pid, port }) => {
    const ask = async () => expectSame(workload.title, [responses[0], await workload.ask(port, seed)]);
    const checks = { ask, countCreated: workload.operation === "create" ? countPools : undefined };
    const load = { port, protocol: workload.protocol, requests, concurrency: CONCURRENCY };
    return (seconds: number) => runCheckedLoad({ pid }, { ...load, seconds }, checks, generateLoad);
  });
}

function printResults({ workload, peers, rounds }: WorkloadResults): void {
  console.log(`\n${workload.title}`);
  peers.forEach(({ title }, place) => {
    const median = (figure: keyof Measurement) => spreadOf(rounds.map((round) => round[place]?.[figure])).median;
    const rate = `${Math.round(median("requestsPerSecond"))} requests/s`.padStart(18);
    const cpu = `server CPU ${median("cpuMicroseconds").toFixed(0)} µs`.padStart(20);
    const ratio = formatRatio(spreadOf(ratioOf(rounds, "requestsPerSecond", 0, place)));
    console.log(`${title.padEnd(28)}${rate}${cpu}  ${ratio}`);
  });
}
