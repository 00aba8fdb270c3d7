import { openGrpcConnection, type SendRpc } from "./grpc-connection.ts";
import { prepareRpc } from "./grpc-frames.ts";
import type { LoadResult, ServerLoad } from "./load.ts";

/** Number of connections that share the RPCs. Real clients open few connections and multiplex many RPCs on each. */
const CONNECTIONS = 4;

/**
 * Sends RPCs to a gRPC server from this process, which does nothing else meanwhile. Sends prepared frames, because no common load generator checks
 * the results of RPCs. A client on `node:http2` uses as much CPU time as a measured server, and would distort the figures on few cores.
 *
 * @throws Error if an RPC fails.
 */
export async function generateGrpcLoad({ port, requests, concurrency, seconds }: ServerLoad): Promise<LoadResult> {
  await using connections = new AsyncDisposableStack();
  const failure = Promise.withResolvers<never>();
  // `Promise.race` below handles the rejection.
  failure.promise.catch(() => {});
  const calls = requests.map((request) => prepareRpc(request, port));
  const opened = Array.from({ length: CONNECTIONS }, () =>
    openGrpcConnection(connections, port, calls, (reason) => failure.reject(new Error(reason))),
  );
  const senders = await Promise.all(opened);
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const lanes = Array.from({ length: concurrency }, (_, index) => senders[index % CONNECTIONS] as SendRpc);
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
 * Sends RPCs until the time `end`. Each lane sends its next RPC as soon as its previous RPC has succeeded.
 *
 * @returns the latencies in milliseconds.
 */
async function saturate(lanes: readonly SendRpc[], end: number): Promise<number[]> {
  const latencies: number[] = [];
  let turn = 0;
  const run = (send: SendRpc) =>
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
