import { Registry } from "prom-client";
import type { PageHandler } from "../http/page-handler.js";
import type { ServerMetrics } from "../observability/metrics/server-metrics.js";
import { createReadOnlyPage } from "./read-only-page.js";

/** Creates the page `/metrics`, which sends all metrics in the text format of Prometheus. */
export function createMetricsPage(metrics: Pick<ServerMetrics, "read">): PageHandler {
  return createReadOnlyPage(async (request) => {
    const text = await metrics.read();
    request.respond(200, { "content-type": Registry.PROMETHEUS_CONTENT_TYPE, "cache-control": "no-store" }, text);
  });
}
