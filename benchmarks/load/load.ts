import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startChild } from "../child.ts";
import type { Protocol } from "../peers/peer.ts";
import type { LoadRequest } from "../workloads/workload.ts";

/** A load on one server, or on several that share it. */
export interface Load {
  readonly ports: readonly number[];
  readonly protocol: Protocol;
  /** Sent in turn, repeatedly. */
  readonly requests: readonly LoadRequest[];
  /** Required HTTP status of every response. */
  readonly status: number;
  /** Maximum number of requests in flight at each server. */
  readonly concurrency: number;
  readonly seconds: number;
  /**
   * Number of requests that are due per second, however fast the responses are; latency counts from the due time. If absent, a
   * request is sent as soon as another is answered.
   */
  readonly requestsPerSecond?: number;
}

/** Result of a load. */
export interface LoadResult {
  readonly requestsPerSecond: number;
  /** Latencies of all requests, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  /** Utilization of the generator, 0 to 1: near 1, it is the bottleneck. */
  readonly generatorUse: number;
}

/** Puts a load on a server and returns the result. Rejects if any response is missing or has another status. */
export type LoadGenerator = (load: Load) => Promise<LoadResult>;

/** Starts a process that generates loads, one after the other; it ends with the resources. */
export function startLoadGenerator(resources: AsyncDisposableStack): LoadGenerator {
  const child = startChild(resources, fileURLToPath(import.meta.resolve("./load-generator.ts")), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // Transfers messages as bytes.
    serialization: "advanced",
  });
  const ended = once(child, "exit").then(() => {
    throw new Error("the load generator exited");
  });
  // The process may end with the resources while nobody awaits this promise.
  ended.catch(() => {});
  return async (load) => {
    child.send(load);
    const [answer] = await Promise.race([once(child, "message"), ended]);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.result;
  };
}
