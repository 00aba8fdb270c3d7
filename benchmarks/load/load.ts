import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startChild } from "../child.ts";
import type { Protocol } from "../peers/peer.ts";
import type { LoadRequest } from "../workloads/workload.ts";

/** A load on one server, or on several that share it. */
export interface Load {
  readonly ports: readonly number[];
  readonly protocol: Protocol;
  /** Sent in turn, over and over. */
  readonly requests: readonly LoadRequest[];
  /** The HTTP status that every answer must have. */
  readonly status: number;
  /** How many requests may wait for their answers at the same time, from each of the servers. */
  readonly concurrency: number;
  readonly seconds: number;
  /**
   * How many requests are due a second, however fast the answers come: each has a moment at which it is due, and its latency
   * counts from there. Without it, a request is sent as soon as another is answered.
   */
  readonly requestsPerSecond?: number;
}

/** What a load has met with. */
export interface LoadResult {
  readonly requestsPerSecond: number;
  /** Latencies in milliseconds, of all requests. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  /** How busy the generator was, 0 to 1: near 1, it is itself what is measured. */
  readonly generatorUse: number;
}

/** Puts a load on a server, and says what it has met with. Rejects if any answer is missing or has another status. */
export type LoadGenerator = (load: Load) => Promise<LoadResult>;

/** Starts a process that generates loads, one after the other; it ends with the resources. */
export function startLoadGenerator(resources: AsyncDisposableStack): LoadGenerator {
  const child = startChild(resources, fileURLToPath(import.meta.resolve("./load-generator.ts")), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // Keeps the bytes of messages what they are.
    serialization: "advanced",
  });
  const ended = once(child, "exit").then(() => {
    throw new Error("the load generator ended");
  });
  // It ends with the resources too, when nobody waits for it.
  ended.catch(() => {});
  return async (load) => {
    child.send(load);
    const [answer] = await Promise.race([once(child, "message"), ended]);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.result;
  };
}
