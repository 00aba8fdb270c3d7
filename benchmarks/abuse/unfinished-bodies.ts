import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from "node:http2";
import type { Socket } from "node:net";
import type { Attack, AttackResult } from "./attack.ts";

const CHUNK = Buffer.alloc(16 * 1024, " ");

/** Part of each body that is sent; the end is never sent. */
const SENT_BYTES = 244 * CHUNK.length;

const BODY_BYTES = SENT_BYTES + 1000;

/** A gRPC message prefix that announces more bytes than are sent. */
const GRPC_PREFIX = Buffer.alloc(5);
GRPC_PREFIX.writeUInt32BE(BODY_BYTES, 1);

/** Requests with unfinished bodies. */
export interface UnfinishedBodies {
  readonly path: string;
  readonly contentType: "application/json" | "application/grpc";
}

/** Sends 4 MB of unfinished bodies on each of several HTTP/2 streams and connections; rejected requests start again. */
export function unfinishedStreams(connections: number, streams: number, bodies: UnfinishedBodies): Attack {
  return async ({ port }, result, signal) => {
    const sessions = Array.from({ length: connections }, () => {
      const session = connectHttp2(`http://127.0.0.1:${port}`);
      result.opened++;
      session.on("error", () => {});
      session.once("close", () => signal.aborted || result.closed++);
      for (let count = 0; count < streams; count++) openStream(session, bodies, result, signal);
      return session;
    });
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    for (const session of sessions) session.destroy();
  };
}

/** Sends the head of an HTTP/1.1 request and most of its body, but never the end. */
export function sendUnfinished(socket: Socket, { path, contentType }: UnfinishedBodies): undefined {
  const head = `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: ${contentType}\r\ncontent-length: ${BODY_BYTES}\r\n\r\n`;
  socket.write(head);
  pour(socket);
}

function openStream(
  session: ClientHttp2Session,
  { path, contentType }: UnfinishedBodies,
  result: AttackResult,
  signal: AbortSignal,
): void {
  if (signal.aborted || session.destroyed) return;
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": contentType });
  stream.on("error", () => {});
  stream.on("response", ({ ":status": status, "grpc-status": code }) => {
    const answer = code === undefined ? String(status) : `grpc-status ${code}`;
    result.answers[answer] = (result.answers[answer] ?? 0) + 1;
  });
  stream.resume().once("close", () => setTimeout(openStream, 20, session, { path, contentType }, result, signal));
  if (contentType === "application/grpc") stream.write(GRPC_PREFIX);
  pour(stream);
}

/** Writes as fast as the server reads. */
function pour(target: Socket | ClientHttp2Stream): void {
  let left = SENT_BYTES;
  const write = () => {
    while (left > 0 && !target.destroyed) {
      left -= CHUNK.length;
      if (!target.write(CHUNK)) return;
    }
    target.off("drain", write);
  };
  target.on("drain", write);
  write();
}
