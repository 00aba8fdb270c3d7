import type { DescMethod } from "@bufbuild/protobuf";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { RequestState } from "./request-state.js";

export interface RequestMetrics {
  begin(): void;
  /** @param code the name of the result in google/rpc/code.proto, such as `OK`. */
  end(state: RequestState, code: string, seconds: number): void;
}

/** Upper bounds of the histogram, in seconds. A lookup by key takes less than a millisecond, a full export several seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The label `method` of requests that call no method, such as requests for pages, health checks and unknown paths. */
const NO_METHOD = "other";

export function registerRequestMetrics(registry: Registry): RequestMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: "calltrack_requests_total",
    help: "Completed requests, by method, protocol and result code.",
    labelNames: ["method", "protocol", "code"] as const,
    registers,
  });
  const durations = new Histogram({
    name: "calltrack_request_duration_seconds",
    help: "Duration of requests, from the request head to the end of the response.",
    labelNames: ["method", "protocol"] as const,
    buckets: BUCKETS,
    registers,
  });
  const inFlight = new Gauge({ name: "calltrack_requests_in_flight", help: "In-flight requests.", registers });
  return {
    begin: () => inFlight.inc(),
    end(state, code, seconds) {
      inFlight.dec();
      const labels = { method: methodLabel(state.rpc?.method), protocol: state.protocol };
      requests.inc({ ...labels, code });
      durations.observe(labels, seconds);
    },
  };
}

function methodLabel(method: DescMethod | undefined): string {
  return method === undefined ? NO_METHOD : `${method.parent.typeName}/${method.name}`;
}
