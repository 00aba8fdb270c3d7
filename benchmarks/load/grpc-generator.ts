import { openConnection, type SendCall } from "./grpc-connection.ts";
import { prepareCall } from "./grpc-frames.ts";
import type { Load, LoadResult } from "./load.ts";

/** Number of connections that share the calls. Real clients open few connections and multiplex many calls on each. */
const CONNECTIONS = 4;

/**
 * Puts a load of gRPC calls on a server, from this process, which does nothing else meanwhile. It sends prepared frames, because no common tool checks
 * the result of a call. A client on `node:http2` costs as much CPU time as a measured server, and would distort the figures on few cores.
 *
 * @throws Error if a call fails.
 */
export async function generateGrpcLoad({ port, requests, concurrency, seconds }: Load): Promise<LoadResult> {
  await using connections = new AsyncDisposableStack();
  const failure = Promise.withResolvers<never>();
  // `Promise.race` below handles the rejection.
  failure.promise.catch(() => {});
  const calls = requests.map((request) => prepareCall(request, port));
  const opened = Array.from({ length: CONNECTIONS }, () =>
    openConnection(connections, port, calls, (reason) => failure.reject(new Error(reason))),
  );
  const senders = await Promise.all(opened);
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const lanes = Array.from({ length: concurrency }, (_, index) => senders[index % CONNECTIONS] as SendCall);
  const latencies = await Promise.race([saturate(lanes, start + seconds * 1000), failure.promise]);
  const { user, system } = process.cpuUsage(cpuBefore);
  const sorted = Float64Array.from(latencies).sort();
  const percentile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    requests: sorted.length,
    seconds: (performance.now() - start) / 1000,
    p50: percentile(0.5),
    p99: percentile(0.99),
    cpuSeconds: (user + system) / 1e6,
  };
}

/**
 * Makes a call on each lane as soon as the previous call has succeeded.
 *
 * @returns the latencies in milliseconds.
 */
async function saturate(lanes: readonly SendCall[], end: number): Promise<number[]> {
  const latencies: number[] = [];
  let turn = 0;
  const run = (send: SendCall) =>
    new Promise<void>((resolve) => {
      let sent = performance.now();
      const onAnswer = () => {
        const now = performance.now();
        latencies.push(now - sent);
        if (now >= end) return resolve();
        sent = now;
        send(turn++, onAnswer);
      };
      send(turn++, onAnswer);
    });
  await Promise.all(lanes.map(run));
  return latencies;
}
