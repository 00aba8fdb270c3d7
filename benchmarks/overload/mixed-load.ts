import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startChild } from "../child.ts";
import type { Protocol } from "../peers/peer.ts";
import type { LoadRequest } from "../workloads/workload.ts";

/** One kind of the requests of a load. */
export interface MixedPart {
  readonly protocol: Protocol;
  readonly status: number;
  /** Sent in turn, over and over. */
  readonly requests: readonly LoadRequest[];
  /** Out of all weights together. */
  readonly weight: number;
  /** How many may wait for their answers at the same time. */
  readonly lanes: number;
}

/** A load of several kinds of requests on one server, which may refuse some. */
export interface MixedLoad {
  readonly port: number;
  readonly parts: readonly MixedPart[];
  /** One after the other: how many requests are due a second, however fast the answers come. */
  readonly stages: readonly { readonly seconds: number; readonly requestsPerSecond: number }[];
  /** A user gives up after so many milliseconds: an answer that comes later is none. */
  readonly patienceMs: number;
}

/** What a stretch of a load has met with. */
export interface Stretch {
  /** How many answers came that a user had waited for, and their latencies in milliseconds, from when they were due. */
  readonly good: number;
  readonly p50: number;
  readonly p99: number;
  /** How many were refused, and after how many milliseconds half of them. */
  readonly refused: number;
  readonly refusedP50: number;
  /** How many were answered too late, or could not be sent in time. */
  readonly late: number;
}

/** What a load has met with. */
export interface MixedLoadResult {
  readonly stages: readonly Stretch[];
  /** Of each quarter of a second, by when requests were due. */
  readonly quarters: readonly Stretch[];
  /** How busy the generator was, 0 to 1. */
  readonly generatorUse: number;
}

/** Puts such a load on a server. */
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
    throw new Error("the load generator ended");
  });
  // It ends with the resources too, when nobody waits for it.
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
