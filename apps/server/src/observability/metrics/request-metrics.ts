import type { DescMethod } from "@bufbuild/protobuf";
import { Gauge, type Registry } from "prom-client";
import { type Outcome, outcomeName } from "../requests/outcome.js";
import type { RequestProtocol, RequestRecord } from "../requests/request-record.js";
import { HistogramSeries, registerSeries } from "./histogram-series.js";

/** Counts requests. */
export interface RequestMetrics {
  begin(): void;
  end(record: RequestRecord, outcome: Outcome, seconds: number): void;
}

/** Upper bounds in seconds. A lookup by key takes less than a millisecond, a full export several seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The method label of requests that call no method: pages, files, health checks and unknown paths. */
const NO_METHOD = "other";

/** The counts and durations of the requests of one method and protocol. */
interface RequestSeries {
  readonly labels: { readonly method: string; readonly protocol: RequestProtocol };
  /** The number of requests by outcome. */
  readonly counts: Map<Outcome, number>;
  readonly durations: HistogramSeries;
}

/** Registers the metrics of requests, and returns the counters. */
export function registerRequestMetrics(registry: Registry): RequestMetrics {
  // The keys are method descriptors, because building a method's name for each lookup is slower.
  const index: Record<RequestProtocol, Map<DescMethod | undefined, RequestSeries>> = {
    json: new Map(),
    grpc: new Map(),
    "grpc-web": new Map(),
    connect: new Map(),
  };
  const all = () => Object.values(index).flatMap((byMethod) => [...byMethod.values()]);
  registerSeries(registry, {
    name: "calltrack_requests_total",
    help: "Completed requests, by method, protocol and result code.",
    type: "counter",
    values: () =>
      all().flatMap(({ labels, counts }) =>
        Array.from(counts, ([outcome, value]) => ({
          metricName: "calltrack_requests_total",
          labels: { ...labels, code: outcomeName(outcome) },
          value,
        })),
      ),
  });
  registerSeries(registry, {
    name: "calltrack_request_duration_seconds",
    help: "Duration of requests, from the request head to the end of the response.",
    type: "histogram",
    values: () =>
      all().flatMap(({ labels, durations }) => durations.values("calltrack_request_duration_seconds", labels)),
  });
  let inFlight = 0;
  new Gauge({
    name: "calltrack_requests_in_flight",
    help: "In-flight requests.",
    registers: [registry],
    collect() {
      this.set(inFlight);
    },
  });
  return {
    begin() {
      inFlight++;
    },
    end(record, outcome, seconds) {
      inFlight--;
      const method = record.call?.method;
      const protocol = record.protocol;
      let series = index[protocol].get(method);
      if (series === undefined) {
        series = createSeries(method, protocol);
        index[protocol].set(method, series);
      }
      series.counts.set(outcome, (series.counts.get(outcome) ?? 0) + 1);
      series.durations.observe(seconds);
    },
  };
}

function createSeries(method: DescMethod | undefined, protocol: RequestProtocol): RequestSeries {
  const name = method === undefined ? NO_METHOD : `${method.parent.typeName}/${method.name}`;
  return { labels: { method: name, protocol }, counts: new Map(), durations: new HistogramSeries(BUCKETS) };
}
