import { Registry } from "prom-client";
import type { RequestHandler } from "../../http/request-handler.js";
import type { ServerMetrics } from "../metrics/server-metrics.js";

/** Serves `/metrics` in the format that Prometheus reads, in front of another handler. */
export function withMetrics(metrics: Pick<ServerMetrics, "read">, next: RequestHandler): RequestHandler {
  return (request, response) => {
    const path = request.url?.split("?", 1)[0];
    const asked = request.method === "GET" || request.method === "HEAD";
    if (!asked || path !== "/metrics") return next(request, response);
    metrics.read().then(
      (text) => {
        // The deadline may have passed, and been answered.
        if (response.headersSent) return;
        response.writeHead(200, { "content-type": Registry.PROMETHEUS_CONTENT_TYPE, "cache-control": "no-store" });
        response.end(text);
      },
      () => {
        if (response.headersSent) return;
        response.writeHead(500, { "cache-control": "no-store" });
        response.end();
      },
    );
  };
}
