import type { Load, LoadGenerator, LoadResult } from "./load/load.ts";
import type { RunningPeer } from "./peers/peer.ts";
import { cpuTime, residentMemory } from "./process-figures.ts";

/** Number of requests in flight at a saturated server. */
export const CONCURRENCY = 32;

/** One server under one load for one round. */
export interface Measurement {
  readonly requestsPerSecond: number;
  /** Latencies, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the server per request, in microseconds; NaN if the system does not report it. */
  readonly cpuMicroseconds: number;
  /** Resident memory of the server at the end of the round, in bytes; NaN if the system does not report it. */
  readonly residentBytes: number;
  /** Utilization of the load generator, 0 to 1: near 1, it is the bottleneck. */
  readonly generatorUse: number;
}

/** Checks that decide whether a load counts. */
export interface LoadChecks {
  /**
   * Sends a request of the load, before and after it.
   *
   * @throws Error if the response is not the expected one.
   */
  ask(): Promise<void>;
  /** Counts the rows that the load creates; undefined if it only reads. */
  readonly countCreated: (() => Promise<number>) | undefined;
}

/**
 * Puts a load on a server.
 *
 * @throws Error if a request fails, or if the rows do not match the number of answered requests.
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

/** The last requests of a load may have been executed without being answered in time. */
function expectCreated(created: number, { requests }: LoadResult, { concurrency }: Load): void {
  if (created >= requests && created <= requests + concurrency) return;
  throw new Error(`${requests} requests were answered, and ${created} rows created`);
}
