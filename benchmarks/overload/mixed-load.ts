import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startChild } from "../child.ts";
import type { Protocol } from "../peers/peer.ts";
import type { LoadRequest } from "../workloads/workload.ts";

/** One kind of request of a load. */
export interface MixedLoadPart {
  readonly protocol: Protocol;
  readonly status: number;
  /** Sent in turn, repeatedly. */
  readonly requests: readonly LoadRequest[];
  /** Share of this kind, relative to the sum of all weights. */
  readonly weight: number;
  /** Maximum number of requests in flight. */
  readonly lanes: number;
}

/** A load of several kinds of requests on one server, which may reject some. */
export interface MixedLoad {
  readonly port: number;
  readonly parts: readonly MixedLoadPart[];
  /** The stages in order, each with its rate of due requests per second. */
  readonly stages: readonly { readonly seconds: number; readonly requestsPerSecond: number }[];
  /** Time in milliseconds after which a user gives up; later responses do not count. */
  readonly timeoutMs: number;
}

/** Result of a part of a load. */
export interface LoadInterval {
  /** Number of responses in time, and their latencies in milliseconds from the due time. */
  readonly good: number;
  readonly p50: number;
  readonly p99: number;
  /** Number of rejected requests, and their median latency in milliseconds. */
  readonly refused: number;
  readonly refusedP50: number;
  /** Number of requests that were answered too late or could not be sent in time. */
  readonly late: number;
}

/** Result of a load. */
export interface MixedLoadResult {
  readonly stages: readonly LoadInterval[];
  /** For each quarter of a second, by the due time of requests. */
  readonly quarters: readonly LoadInterval[];
  /** Utilization of the generator, 0 to 1. */
  readonly generatorUse: number;
}

/** Puts a mixed load on a server. */
export type MixedLoadGenerator = (load: MixedLoad) => Promise<MixedLoadResult>;

/** Starts a process that generates loads, one after the other; it ends with the resources. */
export function startMixedLoadGenerator(resources: AsyncDisposableStack): {
  readonly generate: MixedLoadGenerator;
  readonly pid: number;
} {
  const child = startChild(resources, fileURLToPath(import.meta.resolve("./mixed-load-generator.ts")), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    serialization: "advanced",
  });
  const ended = once(child, "exit").then(() => {
    throw new Error("the load generator exited");
  });
  // The process may end with the resources while nobody awaits this promise.
  ended.catch(() => {});
  return {
    pid: child.pid ?? Number.NaN,
    async generate(load) {
      child.send(load);
      const [answer] = await Promise.race([once(child, "message"), ended]);
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer.result;
    },
  };
}
