import type { LoadGenerator, LoadResult } from "./load/load.ts";
import type { RunningPeer } from "./peers/peer.ts";
import { cpuTime, residentMemory } from "./process-figures.ts";
import type { Contestant } from "./rounds.ts";
import type { LoadRequest, Workload } from "./workloads/workload.ts";

/** Maximum number of requests in flight. */
export const CONCURRENCY = 32;

/** One server under one load for one round. */
export interface Measurement extends LoadResult {
  /** CPU time of the server per request, in microseconds; NaN if the system does not report it. */
  readonly cpuMicroseconds: number;
  /** Resident memory of the server at the end of the round, in bytes; NaN if the system does not report it. */
  readonly residentBytes: number;
}

/**
 * Creates a contestant that puts a load on a server.
 *
 * @param requestsPerSecond the offered load; if absent, the server is saturated.
 */
export function createLoadContestant(
  { port, pid }: RunningPeer,
  { protocol, status }: Workload,
  requests: readonly LoadRequest[],
  generateLoad: LoadGenerator,
  requestsPerSecond?: number,
): Contestant<Measurement> {
  const offered = requestsPerSecond === undefined ? {} : { requestsPerSecond };
  return async (seconds) => {
    const before = cpuTime(pid);
    const result = await generateLoad({
      ports: [port],
      protocol,
      requests,
      status,
      concurrency: CONCURRENCY,
      seconds,
      ...offered,
    });
    const used = cpuTime(pid) - before;
    return {
      ...result,
      cpuMicroseconds: (used / (result.requestsPerSecond * seconds)) * 1e6,
      residentBytes: residentMemory(pid),
    };
  };
}
