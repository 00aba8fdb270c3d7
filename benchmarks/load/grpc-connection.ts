import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { CLIENT_PREFACE, FRAME, FRAME_HEAD_BYTES, frame, type PreparedCall, withStreamId } from "./grpc-frames.ts";

/** Length of the prefix before each message: a compression flag and the message's length. */
const PREFIX_BYTES = 5;

/** Sends the call with this number, and calls `onAnswer` when it has succeeded. */
export type SendCall = (turn: number, onAnswer: () => void) => void;

interface Call {
  readonly onAnswer: () => void;
  /** Length of the response body; undefined before the body begins. */
  expectedBytes: number | undefined;
  receivedBytes: number;
}

/**
 * Opens an HTTP/2 connection that multiplexes unary gRPC calls, and closes with the resources.
 *
 * It parses frames, but not their headers. A server sends a message only with the status OK, so a call has succeeded if it ends after exactly one
 * complete, non-empty message. The client grants the server the maximum window, and ignores the server's window, which far exceeds the few
 * small requests in flight.
 *
 * @param fail is called with the reason if a call fails.
 */
export async function openConnection(
  resources: AsyncDisposableStack,
  port: number,
  prepared: readonly PreparedCall[],
  fail: (reason: string) => void,
): Promise<SendCall> {
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
  socket.write(CLIENT_PREFACE);
  let streamId = -1;
  return (turn, onAnswer) => {
    streamId += 2;
    calls.set(streamId, { onAnswer, expectedBytes: undefined, receivedBytes: 0 });
    // Combines the calls that one received chunk triggers into one write.
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    const { first, later } = prepared[turn % prepared.length] as PreparedCall;
    socket.write(withStreamId(streamId === 1 ? first : later, streamId));
  };
}

type FrameHandler = (type: number, flags: number, streamId: number, payload: Buffer) => void;

function createFrameHandler(socket: Socket, calls: Map<number, Call>, fail: (reason: string) => void): FrameHandler {
  return (type, flags, streamId, payload) => {
    const call = calls.get(streamId);
    if (type === FRAME.settings && (flags & FRAME.ack) === 0) socket.write(frame(FRAME.settings, FRAME.ack, 0));
    else if (type === FRAME.ping && (flags & FRAME.ack) === 0) socket.write(frame(FRAME.ping, FRAME.ack, 0, payload));
    else if (type === FRAME.goAway) fail("the server ends a connection");
    else if (type === FRAME.resetStream) fail("the server has reset a call");
    else if ((type === FRAME.data || type === FRAME.headers) && call !== undefined) {
      if (type === FRAME.data && payload.length > 0) {
        call.expectedBytes ??= payload.length < PREFIX_BYTES ? 0 : PREFIX_BYTES + payload.readUInt32BE(1);
        call.receivedBytes += payload.length;
      }
      if ((flags & FRAME.endStream) === 0) return;
      calls.delete(streamId);
      if (call.receivedBytes > PREFIX_BYTES && call.receivedBytes === call.expectedBytes) call.onAnswer();
      else fail("a call failed");
    }
  };
}

/** Creates a function that receives the chunks of a connection and passes on each complete frame. */
function createFrameReader(handle: FrameHandler): (chunk: Buffer) => void {
  let rest: Buffer | undefined;
  return (chunk) => {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    while (bytes.length - start >= FRAME_HEAD_BYTES) {
      const end = start + FRAME_HEAD_BYTES + bytes.readUIntBE(start, 3);
      if (end > bytes.length) break;
      const payload = bytes.subarray(start + FRAME_HEAD_BYTES, end);
      handle(bytes[start + 3] ?? 0, bytes[start + 4] ?? 0, bytes.readUInt32BE(start + 5) & 0x7fffffff, payload);
      start = end;
    }
    rest = start === bytes.length ? undefined : bytes.subarray(start);
  };
}
