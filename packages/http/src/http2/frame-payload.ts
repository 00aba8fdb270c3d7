import { Flag, FrameType } from "./frame.js";
import { ConnectionError, ErrorCode, protocolError } from "./http2-error.js";

/** The content of a DATA or HEADERS frame without its padding. Throws a `ConnectionError` for more of it than there is. */
export function withoutPadding(flags: number, payload: Buffer): Buffer {
  if ((flags & Flag.PADDED) === 0) return payload;
  const padding = payload[0];
  if (padding === undefined || padding >= payload.length) throw protocolError("the padding is longer than the frame");
  return payload.subarray(1, payload.length - padding);
}

/** The block of a HEADERS frame without the priority, which is no more (RFC 9113 section 5.3.2). */
export function withoutPriority(flags: number, content: Buffer): Buffer {
  if ((flags & Flag.PRIORITY) === 0) return content;
  if (content.length < PRIORITY_BYTES) throw wrongSize();
  return content.subarray(PRIORITY_BYTES);
}

/** Throws a `ConnectionError` unless a frame is of a stream, or of the connection, and as long, as its type has it. */
export function requireFrameShape(type: number, flags: number, streamId: number, length: number): void {
  const shape = SHAPES[type];
  if (shape === undefined) return;
  if (shape.of !== undefined && (shape.of === "stream") !== (streamId !== 0)) {
    throw protocolError("this frame type is not allowed on this stream id");
  }
  if (shape.bytes !== undefined && shape.bytes !== length) throw wrongSize();
  if (shape.leastBytes !== undefined && length < shape.leastBytes) throw wrongSize();
  if (type === FrameType.SETTINGS && (flags & Flag.ACK) !== 0 && length > 0) throw wrongSize();
}

/** What a type of frames is of, and how long it is; a PRIORITY that is not ends its stream only. */
interface FrameShape {
  readonly of?: "stream" | "connection";
  readonly bytes?: number;
  readonly leastBytes?: number;
}

const PRIORITY_BYTES = 5;

const SHAPES: Readonly<Record<number, FrameShape>> = {
  [FrameType.DATA]: { of: "stream" },
  [FrameType.HEADERS]: { of: "stream" },
  [FrameType.PRIORITY]: { of: "stream" },
  [FrameType.RST_STREAM]: { of: "stream", bytes: 4 },
  [FrameType.SETTINGS]: { of: "connection" },
  [FrameType.PING]: { of: "connection", bytes: 8 },
  [FrameType.GOAWAY]: { of: "connection", leastBytes: 8 },
  [FrameType.WINDOW_UPDATE]: { bytes: 4 },
};

function wrongSize(): ConnectionError {
  return new ConnectionError(ErrorCode.FRAME_SIZE_ERROR, "the frame has a wrong length");
}
