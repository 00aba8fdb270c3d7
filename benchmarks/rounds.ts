import type { LoadGenerator, LoadResult } from "./load/load.ts";
import type { RunningPeer } from "./peers/peer.ts";
import { processTime } from "./process-time.ts";
import type { LoadRequest, Workload } from "./workloads/workload.ts";

/** How many connections send requests at the same time. */
export const CONNECTIONS = 32;

/** One server under one load for one round. */
export interface Measurement extends LoadResult {
  /** The server's processor time for a request, in microseconds; NaN if the system does not tell. */
  readonly cpuMicroseconds: number;
}

/** How long to measure. */
export interface RoundPlan {
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
}

/**
 * Measures the servers in turn, A B A B, so that what changes on the machine meets all of them.
 *
 * @param reset puts the database back to how it was.
 * @returns for each round, the measurements in the order of the servers.
 */
export async function runRounds(
  peers: readonly RunningPeer[],
  workload: Workload,
  requests: readonly LoadRequest[],
  plan: RoundPlan,
  generateLoad: LoadGenerator,
  reset: () => Promise<void>,
): Promise<Measurement[][]> {
  const measure = async ({ port, pid }: RunningPeer, seconds: number): Promise<Measurement> => {
    if (workload.isWriting) await reset();
    const before = processTime(pid);
    const load = { port, requests, status: workload.status, connections: CONNECTIONS, seconds };
    const result = await generateLoad(load);
    const used = processTime(pid) - before;
    return { ...result, cpuMicroseconds: (used / (result.requestsPerSecond * seconds)) * 1e6 };
  };
  for (const peer of peers) await measure(peer, plan.warmUpSeconds);
  const rounds: Measurement[][] = [];
  for (let round = 0; round < plan.rounds; round++) {
    const measurements: Measurement[] = [];
    for (const peer of peers) measurements.push(await measure(peer, plan.roundSeconds));
    rounds.push(measurements);
  }
  if (workload.isWriting) await reset();
  return rounds;
}
