import { connect, type Socket } from "node:net";
import { CLIENT_PREFACE, FRAME, FRAME_HEAD_BYTES, frame, type RequestFrames, withStreamId } from "./http2-frames.ts";
import type { Lane, OnAnswer, OnFailure } from "./lane.ts";

/** `:status: 200` by its index in the static table: RFC 7541, appendix A. Servers send it first. */
const STATUS_200 = 0x88;
/** A dynamic table size update to 0, with which a block may begin: RFC 7541 section 6.3. */
const NO_TABLE = 0x20;

/** A call that waits for its response. */
interface Call {
  readonly answered: OnAnswer;
  hasSucceeded: boolean;
  hasMessage: boolean;
}

/**
 * Opens an HTTP/2 connection that makes several unary gRPC calls, or JSON GETs, at a time.
 *
 * It parses frames, but of the headers only whether they begin with status 200. That, and a message before the end of the
 * stream, tells success from rejection. It grants the server the maximum window, and ignores the server's window, which far
 * exceeds the few small requests in flight.
 *
 * @param requests prepared by `prepareCallFrames` or `prepareGetFrames`, all by the same one.
 * @param mayRefuse whether the server may reject calls.
 */
export async function openHttp2Lanes(
  port: number,
  requests: readonly RequestFrames[],
  count: number,
  fail: OnFailure,
  mayRefuse = false,
): Promise<Lane[]> {
  const calls = new Map<number, Call>();
  const socket = await open(port);
  let closed = false;
  socket.on("error", (error) => fail(`a connection failed: ${error.message}`));
  socket.on("close", () => closed || fail("the server closed a connection"));
  socket.on("data", createFrameReader(createFrameHandler(socket, calls, fail, mayRefuse)));
  socket.write(CLIENT_PREFACE);
  let streamId = -1;
  const send = (frames: RequestFrames, answered: OnAnswer) => {
    streamId += 2;
    calls.set(streamId, { answered, hasSucceeded: false, hasMessage: false });
    // Sends the responses to one chunk with one write.
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    socket.write(withStreamId(streamId === 1 ? frames.first : frames.later, streamId));
  };
  return Array.from({ length: count }, () => ({
    send: (turn, answered) => send(requests[turn % requests.length] as RequestFrames, answered),
    close() {
      closed = true;
      socket.destroy();
    },
  }));
}

type FrameHandler = (type: number, flags: number, streamId: number, payload: Buffer) => void;

function createFrameHandler(
  socket: Socket,
  calls: Map<number, Call>,
  fail: OnFailure,
  mayRefuse: boolean,
): FrameHandler {
  const end = (streamId: number, { answered, hasSucceeded, hasMessage }: Call) => {
    calls.delete(streamId);
    const isGood = hasSucceeded && hasMessage;
    if (isGood || mayRefuse) answered(isGood);
    else fail("a call was refused");
  };
  return (type, flags, streamId, payload) => {
    const call = calls.get(streamId);
    if (type === FRAME.settings && (flags & FRAME.ack) === 0) socket.write(frame(FRAME.settings, FRAME.ack, 0));
    else if (type === FRAME.ping && (flags & FRAME.ack) === 0) socket.write(frame(FRAME.ping, FRAME.ack, 0, payload));
    else if (type === FRAME.goAway) fail("the server ends a connection");
    else if (type === FRAME.resetStream && call !== undefined) fail("the server has reset a call");
    else if ((type === FRAME.data || type === FRAME.headers) && call !== undefined) {
      if (type === FRAME.data) call.hasMessage ||= payload.length > 0;
      else call.hasSucceeded ||= payload[payload[0] === NO_TABLE ? 1 : 0] === STATUS_200;
      if ((flags & FRAME.endStream) !== 0) end(streamId, call);
    }
  };
}

/** Creates a function that takes chunks of a connection and reports each complete frame. */
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

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => resolve(socket)).once("error", reject);
  });
}
