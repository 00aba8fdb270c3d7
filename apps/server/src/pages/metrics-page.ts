import { Registry } from "prom-client";
import type { SitePage } from "../http/site-page.js";
import type { ServerMetrics } from "../observability/metrics/server-metrics.js";
import { createReadOnlyPage } from "./read-only-page.js";

/** Creates `/metrics`, in the text format of Prometheus. */
export function createMetricsPage(metrics: Pick<ServerMetrics, "read">): SitePage {
  return createReadOnlyPage(async (request) => {
    const text = await metrics.read();
    request.respond(200, { "content-type": Registry.PROMETHEUS_CONTENT_TYPE, "cache-control": "no-store" }, text);
  });
}
