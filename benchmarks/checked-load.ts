import type { LoadGenerator, LoadResult, ServerLoad } from "./load/load.ts";
import type { RunningPeer } from "./peers/peer.ts";
import { readCpuSeconds, readResidentBytes } from "./process-figures.ts";

/** Number of requests in flight that saturates a server. */
export const REQUESTS_IN_FLIGHT = 32;

export interface LoadMeasurement {
  readonly requestsPerSecond: number;
  /** The 50th percentile of the latencies, in milliseconds. */
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
   * Sends one request. Called before and after the load.
   *
   * @throws Error if the response differs from the expected response.
   */
  ask(): Promise<void>;
  /** Counts the rows that the load creates; undefined if the load only reads. */
  readonly countCreated: (() => Promise<number>) | undefined;
}

/**
 * Puts a load on a server, and measures the server.
 *
 * @throws Error if a request fails, or if the number of created rows does not match the number of responses.
 */
export async function runCheckedLoad(
  { pid }: Pick<RunningPeer, "pid">,
  load: ServerLoad,
  { ask, countCreated }: LoadChecks,
  generateLoad: LoadGenerator,
): Promise<LoadMeasurement> {
  await ask();
  const rowsBefore = await countCreated?.();
  const cpuBefore = readCpuSeconds(pid);
  const result = await generateLoad(load);
  const cpuSeconds = readCpuSeconds(pid) - cpuBefore;
  const residentBytes = readResidentBytes(pid);
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

/**
 * Compares the number of created rows with the number of responses. A few more rows than responses are possible, because the last requests can create
 * rows although their responses arrive too late.
 *
 * @throws Error if rows are missing, or if there are too many.
 */
function expectCreated(created: number, { requests }: LoadResult, { concurrency }: ServerLoad): void {
  if (created >= requests && created <= requests + concurrency) return;
  throw new Error(`the server acknowledged ${requests} creations, but the database has ${created} new rows`);
}
