// The process that puts load on a server, one load at a time. It implements just enough HTTP to cost less than the measured
// server, which matters with few cores: it sends prepared requests, and checks only the status and the end of a response.
import { runAtRate } from "./fixed-rate.ts";
import { openHttp1Lane, prepareHttp1Request } from "./http1-lane.ts";
import { prepareCallFrames, prepareGetFrames } from "./http2-frames.ts";
import { openHttp2Lanes } from "./http2-lanes.ts";
import type { Lane, OnFailure } from "./lane.ts";
import type { Load, LoadResult } from "./load.ts";
import { runSaturated } from "./saturation.ts";

/** Number of HTTP/2 connections that share the requests; clients open few and multiplex many requests on each. */
const HTTP2_CONNECTIONS = 4;

process.on("message", (load: Load) => {
  generate(load).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});

// The parent has exited.
process.on("disconnect", () => process.exit(1));

async function generate(load: Load): Promise<LoadResult> {
  const failure = Promise.withResolvers<never>();
  // The rejection is handled where it is awaited.
  failure.promise.catch(() => {});
  const lanes = await openLanes(load, (reason) => failure.reject(new Error(reason)));
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  try {
    const run =
      load.requestsPerSecond === undefined
        ? runSaturated(lanes, load.seconds)
        : runAtRate(lanes, load.requestsPerSecond, load.seconds);
    const latencies = await Promise.race([run, failure.promise]);
    const milliseconds = performance.now() - start;
    const { user, system } = process.cpuUsage(cpuBefore);
    const sorted = Float64Array.from(latencies).sort();
    return {
      requestsPerSecond: (sorted.length / milliseconds) * 1000,
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
      p999: percentile(sorted, 0.999),
      generatorUse: (user + system) / 1000 / milliseconds,
    };
  } finally {
    for (const lane of lanes) lane.close();
  }
}

/** Interleaves the lanes of all servers, so that consecutive requests go to all of them equally. */
async function openLanes(load: Load, fail: OnFailure): Promise<Lane[]> {
  const lanes = await Promise.all(load.ports.map((port) => openLanesTo(port, load, fail)));
  return Array.from({ length: load.concurrency }, (_, place) => lanes.map((each) => each[place] as Lane)).flat();
}

async function openLanesTo(port: number, load: Load, fail: OnFailure): Promise<Lane[]> {
  const { protocol, concurrency, status } = load;
  if (protocol === "json") {
    const requests = load.requests.map((request) => prepareHttp1Request(request, port));
    return Promise.all(Array.from({ length: concurrency }, () => openHttp1Lane(port, requests, status, fail)));
  }
  const framesOf = protocol === "grpc" ? prepareCallFrames : prepareGetFrames;
  const requests = load.requests.map((request) => framesOf(request, port));
  const connections = Array.from({ length: HTTP2_CONNECTIONS }, () =>
    openHttp2Lanes(port, requests, concurrency / HTTP2_CONNECTIONS, fail),
  );
  return (await Promise.all(connections)).flat();
}

function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
