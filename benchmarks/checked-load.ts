import type { Load, LoadGenerator, LoadResult } from "./load/load.ts";
import type { RunningPeer } from "./peers/peer.ts";
import { cpuTime, residentMemory } from "./process-figures.ts";

/** Number of requests in flight, which saturates a server. */
export const CONCURRENCY = 32;

export interface Measurement {
  readonly requestsPerSecond: number;
  /** Latencies, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the server per request, in microseconds; NaN if the system does not report it. */
  readonly cpuMicroseconds: number;
  /** Resident memory of the server at the end of the round, in bytes; NaN if the system does not report it. */
  readonly residentBytes: number;
  /** Utilization of the load generator, 0 to 1. Near 1, the generator is the bottleneck. */
  readonly generatorUse: number;
}

export interface LoadChecks {
  /**
   * Sends one request before and after the load.
   *
   * @throws Error if the response differs from the expected response.
   */
  ask(): Promise<void>;
  /** Counts the rows that the load creates; undefined if it only reads. */
  readonly countCreated: (() => Promise<number>) | undefined;
}

/**
 * Puts a load on a server, and measures it.
 *
 * @throws Error if a request fails, or if the number of created rows does not match the number of responses.
 */
export async function runCheckedLoad(
  { pid }: Pick<RunningPeer, "pid">,
  load: Load,
  { ask, countCreated }: LoadChecks,
  generateLoad: LoadGenerator,
): Promise<Measurement> {
  await ask();
  const rowsBefore = await countCreated?.();
  const cpuBefore = cpuTime(pid);
  const result = await generateLoad(load);
  const cpuSeconds = cpuTime(pid) - cpuBefore;
  const residentBytes = residentMemory(pid);
  if (countCreated !== undefined) expectCreated((await countCreated()) - (rowsBefore ?? 0), result, load);
  await ask();
  const { requests, seconds, p50, p99 } = result;
  return {
    requestsPerSecond: requests / seconds,
    ...{ p50, p99, residentBytes },
    cpuMicroseconds: (cpuSeconds / requests) * 1e6,
    generatorUse: result.cpuSeconds / seconds,
  };
}

/** The last requests of a load may have been executed, although their responses came too late. */
function expectCreated(created: number, { requests }: LoadResult, { concurrency }: Load): void {
  if (created >= requests && created <= requests + concurrency) return;
  throw new Error(`${requests} requests were answered, and ${created} rows created`);
}
