import { AggregatorRegistry, Registry } from "prom-client";
import type { ServerMetrics } from "../observability/metrics/server-metrics.js";
import type { WorkerMetrics } from "./worker-message.js";
import { onPrimaryMessage, sendToPrimary } from "./worker-message.js";

/**
 * Creates the metrics of a worker process. The method `read` returns the metrics of all workers. Each metric has a `worker` label, because a sum over
 * workers would decrease whenever a worker is replaced.
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

/** Responds to `collect` messages from the primary; returns a function that requests the metrics of all workers. */
function answerAndGather(own: Registry): () => Promise<WorkerMetrics[]> {
  let gathering: PromiseWithResolvers<readonly WorkerMetrics[]> | undefined;
  onPrimaryMessage(async (message) => {
    if (message.kind === "collect") sendToPrimary({ kind: "metrics", metrics: await listMetrics(own) });
    if (message.kind === "gathered") {
      gathering?.resolve(message.metrics);
      gathering = undefined;
    }
  });
  return async () => {
    if (gathering === undefined) {
      gathering = Promise.withResolvers();
      sendToPrimary({ kind: "gather" });
    }
    return [...(await gathering.promise)];
  };
}

/** Lists metrics for `AggregatorRegistry`. It must change none, because the `worker` label distinguishes all values: by default, it omits start times. */
async function listMetrics(registry: Registry): Promise<WorkerMetrics> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map((metric) => ({ ...metric, aggregator: "first" }));
}
