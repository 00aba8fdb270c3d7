import { once } from "node:events";
import { connect, type Socket } from "node:net";
import {
  copyWithStreamId,
  encodeFrame,
  FRAME_HEADER_BYTES,
  HTTP2_CLIENT_PREFACE,
  HTTP2_FRAME_CODES,
  type PreparedRpc,
} from "./grpc-frames.ts";

/** Length of the prefix before each message: a compression flag and the message's length. */
const PREFIX_BYTES = 5;

/** Sends the prepared RPC at the index `turn`, modulo the number of prepared RPCs. Calls `onAnswer` when the RPC has succeeded. */
export type SendRpc = (turn: number, onAnswer: () => void) => void;

interface Call {
  readonly onAnswer: () => void;
  /** Length of the response body; undefined before the body begins. */
  expectedBytes: number | undefined;
  receivedBytes: number;
}

/**
 * Opens an HTTP/2 connection that multiplexes unary RPCs. Disposing of the stack `resources` closes the connection.
 *
 * The client parses frames, but no header fields. A server sends a message only with the status OK, so an RPC has succeeded if it ends after exactly
 * one complete, non-empty message. The client grants the server the maximum window. The client ignores the server's window, which far exceeds the few
 * small requests in flight.
 *
 * @param fail is called with the reason if an RPC fails.
 */
export async function openGrpcConnection(
  resources: AsyncDisposableStack,
  port: number,
  prepared: readonly PreparedRpc[],
  fail: (reason: string) => void,
): Promise<SendRpc> {
  const calls = new Map<number, Call>();
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  let isClosed = false;
  resources.defer(() => {
    isClosed = true;
    socket.destroy();
  });
  socket.on("error", (error) => fail(`a connection failed: ${error.message}`));
  socket.on("close", () => isClosed || fail("the server closed a connection"));
  socket.on("data", createFrameReader(createFrameHandler(socket, calls, fail)));
  socket.write(HTTP2_CLIENT_PREFACE);
  let streamId = -1;
  return (turn, onAnswer) => {
    streamId += 2;
    calls.set(streamId, { onAnswer, expectedBytes: undefined, receivedBytes: 0 });
    // Combines all RPCs that one received chunk triggers into one write to the socket.
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    const { first, later } = prepared[turn % prepared.length] as PreparedRpc;
    socket.write(copyWithStreamId(streamId === 1 ? first : later, streamId));
  };
}

type FrameHandler = (type: number, flags: number, streamId: number, payload: Buffer) => void;

function createFrameHandler(socket: Socket, calls: Map<number, Call>, fail: (reason: string) => void): FrameHandler {
  return (type, flags, streamId, payload) => {
    const call = calls.get(streamId);
    if (type === HTTP2_FRAME_CODES.settings && (flags & HTTP2_FRAME_CODES.ack) === 0)
      socket.write(encodeFrame(HTTP2_FRAME_CODES.settings, HTTP2_FRAME_CODES.ack, 0));
    else if (type === HTTP2_FRAME_CODES.ping && (flags & HTTP2_FRAME_CODES.ack) === 0)
      socket.write(encodeFrame(HTTP2_FRAME_CODES.ping, HTTP2_FRAME_CODES.ack, 0, payload));
    else if (type === HTTP2_FRAME_CODES.goAway) fail("the server sent GOAWAY on a connection");
    else if (type === HTTP2_FRAME_CODES.resetStream) fail("the server reset the stream of a call");
    else if ((type === HTTP2_FRAME_CODES.data || type === HTTP2_FRAME_CODES.headers) && call !== undefined) {
      if (type === HTTP2_FRAME_CODES.data && payload.length > 0) {
        call.expectedBytes ??= payload.length < PREFIX_BYTES ? 0 : PREFIX_BYTES + payload.readUInt32BE(1);
        call.receivedBytes += payload.length;
      }
      if ((flags & HTTP2_FRAME_CODES.endStream) === 0) return;
      calls.delete(streamId);
      if (call.receivedBytes > PREFIX_BYTES && call.receivedBytes === call.expectedBytes) call.onAnswer();
      else fail("a call ended without a complete message");
    }
  };
}

/** Creates a function that receives the chunks of a connection, and calls `handle` with each complete frame. */
function createFrameReader(handle: FrameHandler): (chunk: Buffer) => void {
  let rest: Buffer | undefined;
  return (chunk) => {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    while (bytes.length - start >= FRAME_HEADER_BYTES) {
      const end = start + FRAME_HEADER_BYTES + bytes.readUIntBE(start, 3);
      if (end > bytes.length) break;
      const payload = bytes.subarray(start + FRAME_HEADER_BYTES, end);
      handle(bytes[start + 3] ?? 0, bytes[start + 4] ?? 0, bytes.readUInt32BE(start + 5) & 0x7fffffff, payload);
      start = end;
    }
    rest = start === bytes.length ? undefined : bytes.subarray(start);
  };
}
