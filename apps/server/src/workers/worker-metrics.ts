import { AggregatorRegistry, Registry } from "prom-client";
import type { ServerMetrics } from "../observability/metrics/server-metrics.js";
import type { WorkerMetrics } from "./worker-message.js";
import { onPrimaryMessage, tellPrimary } from "./worker-message.js";

/**
 * The metrics of a server of several workers. Those of each bear its number, as a counter of all together would fall whenever
 * a worker is replaced.
 *
 * @param worker the number of this one.
 */
export function createWorkerMetrics(worker: number): ServerMetrics {
  const own = new Registry();
  own.setDefaultLabels({ worker: String(worker) });
  const shared = new Registry();
  const gather = answerAndGather(own);
  return {
    own,
    shared,
    read: async () => Registry.merge([AggregatorRegistry.aggregate(await gather()), shared]).metrics(),
  };
}

/** Answers the primary when it collects metrics; returns what gathers those of all workers by it. */
function answerAndGather(own: Registry): () => Promise<WorkerMetrics[]> {
  let gathering: PromiseWithResolvers<readonly WorkerMetrics[]> | undefined;
  onPrimaryMessage(async (message) => {
    if (message.kind === "collect") tellPrimary({ kind: "metrics", metrics: await own.getMetricsAsJSON() });
    if (message.kind === "gathered") {
      gathering?.resolve(message.metrics);
      gathering = undefined;
    }
  });
  return async () => {
    if (gathering === undefined) {
      gathering = Promise.withResolvers();
      tellPrimary({ kind: "gather" });
    }
    return [...(await gathering.promise)];
  };
}
