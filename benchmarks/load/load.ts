import type { Protocol } from "../peers/peer.ts";
import type { LoadRequest } from "../workloads/workload.ts";

/** A load that saturates a server: each request is sent as soon as another is answered. */
export interface Load {
  readonly port: number;
  readonly protocol: Protocol;
  /** Sent in turn, repeatedly. */
  readonly requests: readonly LoadRequest[];
  /** Number of requests in flight. */
  readonly concurrency: number;
  /** A whole number. */
  readonly seconds: number;
}

/** Result of a load. */
export interface LoadResult {
  /** Number of answered requests. */
  readonly requests: number;
  readonly seconds: number;
  /** Latencies, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the generator. */
  readonly cpuSeconds: number;
}

/** Puts a load on a server and returns the result. Rejects if any request is rejected or gets no response. */
export type LoadGenerator = (load: Load) => Promise<LoadResult>;
