import { type LoadMeasurement, REQUESTS_IN_FLIGHT, runCheckedLoad } from "./checked-load.ts";
import { computeRoundRatios, computeSpread, formatRatioSpread } from "./comparison.ts";
import { countCreatedPools, type DatabaseSeed, resetDatabase, seedDatabase } from "./database-seed.ts";
import { expectEqualValues } from "./expect-equal-values.ts";
import { checkGrpcResponses } from "./grpc-response-check.ts";
import { checkJsonResponses } from "./json-response-check.ts";
import type { LoadGenerator } from "./load/load.ts";
import { startLoadGenerator } from "./load/load-generator.ts";
import { type BuiltPeers, buildGoPeers } from "./peers/go-peers.ts";
import { type Peer, type RunningPeer, startPeer } from "./peers/peer.ts";
import { calltrackPeer } from "./peers/peers.ts";
import { connectToPostgres, startPostgres } from "./postgres.ts";
import { type RoundPlan, runRounds } from "./rounds.ts";
import { measureStartTimes, type StartTimes } from "./start-times.ts";
import type { Workload } from "./workloads/workload.ts";

export interface BenchmarkPlan {
  /** Number of runs. Each run has new processes and a new database. */
  readonly runs: number;
  readonly rounds: RoundPlan;
  readonly starts: number;
}

export interface BenchmarkSelection {
  readonly peers: readonly Peer[];
  readonly workloads: readonly Workload[];
}

export interface BenchmarkResults extends Omit<BuiltPeers, "peers"> {
  readonly runs: readonly RunResults[];
}

export interface RunResults {
  readonly workloads: readonly WorkloadResults[];
  readonly starts: StartTimes;
  readonly postgresVersion: string;
}

export interface WorkloadResults {
  readonly workload: Workload;
  /** The servers that support the workload's protocol, Calltrack first. */
  readonly peers: readonly Peer[];
  /** For each round, the measurements in the order of `peers`. */
  readonly rounds: readonly (readonly LoadMeasurement[])[];
}

/**
 * Measures every server under every workload that the server supports, and prints each result.
 *
 * @param resources the stack that ends all started processes and removes all temporary files when it is disposed.
 */
export async function runServerComparison(
  resources: AsyncDisposableStack,
  plan: BenchmarkPlan,
  selection: BenchmarkSelection,
): Promise<BenchmarkResults> {
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
  { peers: selected, workloads: selectedWorkloads }: BenchmarkSelection,
): Promise<RunResults> {
  await using own = new AsyncDisposableStack();
  // If the run is interrupted, the disposal of `resources` also ends the processes of `own`.
  resources.use(own);
  // The connection pools of all peers stay open at the same time.
  const { url: databaseUrl } = await startPostgres(own, ["max_connections=300"]);
  const servers: RunningPeer[] = [];
  for (const peer of [calltrackPeer, ...selected]) servers.push(await startPeer(own, peer, databaseUrl));
  const client = await connectToPostgres(own, databaseUrl);
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
  const starts = await measureStartTimes(own, startCount, databaseUrl);
  const { rows } = await client.query("select split_part(current_setting('server_version'), ' ', 1) as version");
  return { workloads, starts, postgresVersion: rows[0].version };
}

/** Checks that the servers return equal responses, and returns a measurement function for each server. */
async function createContestants(
  servers: readonly RunningPeer[],
  workload: Workload,
  seed: DatabaseSeed,
  generateLoad: LoadGenerator,
  countPools: () => Promise<number>,
) {
  const requests = workload.requests(seed);
  const responses: string[] = [];
  for (const { port } of servers) responses.push(await workload.ask(port, seed));
  expectEqualValues(workload.title, responses);
  return servers.map(({ pid, port }) => {
    const ask = async () => expectEqualValues(workload.title, [responses[0], await workload.ask(port, seed)]);
    const checks = { ask, countCreated: workload.operation === "create" ? countPools : undefined };
    const load = { port, protocol: workload.protocol, requests, concurrency: REQUESTS_IN_FLIGHT };
    return (seconds: number) => runCheckedLoad({ pid }, { ...load, seconds }, checks, generateLoad);
  });
}

function printResults({ workload, peers, rounds }: WorkloadResults): void {
  console.log(`\n${workload.title}`);
  peers.forEach(({ title }, place) => {
    const median = (figure: keyof LoadMeasurement) =>
      computeSpread(rounds.map((round) => round[place]?.[figure])).median;
    const rate = `${Math.round(median("requestsPerSecond"))} requests/s`.padStart(18);
    const cpu = `server CPU ${median("cpuMicroseconds").toFixed(0)} µs`.padStart(20);
    const ratio = formatRatioSpread(computeSpread(computeRoundRatios(rounds, "requestsPerSecond", 0, place)));
    console.log(`${title.padEnd(28)}${rate}${cpu}  ${ratio}`);
  });
}
