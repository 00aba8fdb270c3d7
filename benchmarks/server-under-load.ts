import type { LoadGenerator, LoadResult } from "./load/load.ts";
import type { RunningPeer } from "./peers/peer.ts";
import { processTime, residentMemory } from "./process-figures.ts";
import type { Contestant } from "./rounds.ts";
import type { LoadRequest, Workload } from "./workloads/workload.ts";

/** How many requests wait for their answers at the same time, at most. */
export const CONCURRENCY = 32;

/** One server under one load for one round. */
export interface Measurement extends LoadResult {
  /** The server's processor time for a request, in microseconds; NaN if the system does not tell. */
  readonly cpuMicroseconds: number;
  /** The server's memory at the end of the round, in bytes; NaN if the system does not tell. */
  readonly residentBytes: number;
}

/**
 * A server under a load.
 *
 * @param requestsPerSecond the load that is offered; without it, as much as the server takes.
 */
export function serverUnderLoad(
  { port, pid }: RunningPeer,
  { protocol, status }: Workload,
  requests: readonly LoadRequest[],
  generateLoad: LoadGenerator,
  requestsPerSecond?: number,
): Contestant<Measurement> {
  const offered = requestsPerSecond === undefined ? {} : { requestsPerSecond };
  return async (seconds) => {
    const before = processTime(pid);
    const result = await generateLoad({
      ports: [port],
      protocol,
      requests,
      status,
      concurrency: CONCURRENCY,
      seconds,
      ...offered,
    });
    const used = processTime(pid) - before;
    return {
      ...result,
      cpuMicroseconds: (used / (result.requestsPerSecond * seconds)) * 1e6,
      residentBytes: residentMemory(pid),
    };
  };
}
