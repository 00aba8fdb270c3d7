import type { Protocol } from "../peers/peer.ts";
import type { LoadRequest } from "../workloads/workload.ts";

/** A load that saturates a server: each response is followed by the next request. */
export interface ServerLoad {
  readonly port: number;
  readonly protocol: Protocol;
  /** The requests to send, one after another in a cycle. */
  readonly requests: readonly LoadRequest[];
  /** Number of requests in flight. */
  readonly concurrency: number;
  /** The duration of the load, a whole number. */
  readonly seconds: number;
}

export interface LoadResult {
  /** Number of responses. */
  readonly requests: number;
  readonly seconds: number;
  /** The 50th percentile of the latencies, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the load generator. */
  readonly cpuSeconds: number;
}

/** Puts a load on a server. Rejects if any request is rejected or gets no response. */
export type LoadGenerator = (load: ServerLoad) => Promise<LoadResult>;
