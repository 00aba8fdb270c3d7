// The process that puts load on a server, one load at a time. It speaks just enough HTTP to cost less than what it measures,
// which matters on a machine of few cores: it writes requests that are made up beforehand, and of an answer it reads whether it
// is the expected one and where it ends.
import { runAtRate } from "./fixed-rate.ts";
import { http1Request, openHttp1Lane } from "./http1-lane.ts";
import { callFrames, getFrames } from "./http2-frames.ts";
import { openHttp2Lanes } from "./http2-lanes.ts";
import type { Fail, Lane } from "./lane.ts";
import type { Load, LoadResult } from "./load.ts";
import { runSaturated } from "./saturation.ts";

/** How many connections share the requests over HTTP/2; a client opens few and sends many requests on each. */
const HTTP2_CONNECTIONS = 4;

process.on("message", (load: Load) => {
  generate(load).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});

// The parent is gone without a word.
process.on("disconnect", () => process.exit(1));

async function generate(load: Load): Promise<LoadResult> {
  const failure = Promise.withResolvers<never>();
  // Only what waits for it is told.
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

/** The lanes of all servers in turn, so that what is sent on one after the other goes to all of them alike. */
async function openLanes(load: Load, fail: Fail): Promise<Lane[]> {
  const lanes = await Promise.all(load.ports.map((port) => openLanesTo(port, load, fail)));
  return Array.from({ length: load.concurrency }, (_, place) => lanes.map((each) => each[place] as Lane)).flat();
}

async function openLanesTo(port: number, load: Load, fail: Fail): Promise<Lane[]> {
  const { protocol, concurrency, status } = load;
  if (protocol === "json") {
    const requests = load.requests.map((request) => http1Request(request, port));
    return Promise.all(Array.from({ length: concurrency }, () => openHttp1Lane(port, requests, status, fail)));
  }
  const framesOf = protocol === "grpc" ? callFrames : getFrames;
  const requests = load.requests.map((request) => framesOf(request, port));
  const connections = Array.from({ length: HTTP2_CONNECTIONS }, () =>
    openHttp2Lanes(port, requests, concurrency / HTTP2_CONNECTIONS, fail),
  );
  return (await Promise.all(connections)).flat();
}

function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
