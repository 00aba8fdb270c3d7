// The process that puts load on a server, one load at a time. It speaks just enough HTTP/1.1 to cost less than what it
// measures, which matters on a machine of few cores: it writes requests that are made up beforehand, and of an answer it
// reads the status and where the answer ends.
import { connect, type Socket } from "node:net";
import type { LoadRequest } from "../workloads/workload.ts";
import type { Load, LoadResult } from "./load.ts";

process.on("message", (load: Load) => {
  generate(load).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});

// The parent is gone without a word.
process.on("disconnect", () => process.exit(1));

async function generate(load: Load): Promise<LoadResult> {
  const requests = load.requests.map((request) => bytesOf(request, load.port));
  const sockets = await Promise.all(Array.from({ length: load.connections }, () => open(load.port)));
  const latencies: number[] = [];
  let turn = 0;
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const end = start + load.seconds * 1000;
  const runConnection = async (socket: Socket) => {
    const exchange = createExchange(socket, load.status);
    for (let now = performance.now(); now < end; ) {
      await exchange(requests[turn++ % requests.length] as Buffer);
      const answered = performance.now();
      latencies.push(answered - now);
      now = answered;
    }
  };
  try {
    await Promise.all(sockets.map(runConnection));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  const milliseconds = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuBefore);
  const sorted = Float64Array.from(latencies).sort();
  return {
    requestsPerSecond: (sorted.length / milliseconds) * 1000,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    generatorUse: (user + system) / 1000 / milliseconds,
  };
}

function bytesOf({ method, path, body }: LoadRequest, port: number): Buffer {
  const headers = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, "Accept: application/json"];
  if (body !== undefined) headers.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${headers.join("\r\n")}\r\n\r\n${body ?? ""}`);
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => resolve(socket)).once("error", reject);
  });
}

/** A function that sends a request on a connection and resolves when the answer is there as a whole. */
function createExchange(socket: Socket, status: number): (request: Buffer) => Promise<void> {
  let received: Buffer | undefined;
  let waiting: PromiseWithResolvers<void> | undefined;
  const fail = (reason: string) => {
    waiting?.reject(new Error(reason));
    socket.destroy();
  };
  socket.on("error", (error) => fail(`a connection failed: ${error.message}`));
  socket.on("close", () => fail("the server closed a connection"));
  socket.on("data", (chunk) => {
    received = received === undefined ? chunk : Buffer.concat([received, chunk]);
    if (!isWhole(received)) return;
    const found = received.toString("latin1", 9, 12);
    if (found !== String(status)) return fail(`an answer has status ${found}: ${received.toString()}`);
    received = undefined;
    waiting?.resolve();
  });
  return (request) => {
    waiting = Promise.withResolvers();
    socket.write(request);
    return waiting.promise;
  };
}

/** Whether an answer has come to its end. */
function isWhole(received: Buffer): boolean {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.toString("latin1", 0, headEnd));
  if (length !== null) return received.length >= headEnd + 4 + Number(length[1]);
  // Without a length it is sent in chunks, of which the last is empty.
  return received.toString("latin1", received.length - 5) === "0\r\n\r\n";
}

function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
