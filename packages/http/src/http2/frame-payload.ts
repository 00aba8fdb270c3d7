import { Flag, FrameType } from "./frame.js";
import { ConnectionError, ErrorCode, protocolError } from "./http2-error.js";

/** Removes the padding of a DATA or HEADERS frame. Throws a `ConnectionError` if the padding is longer than the frame. */
export function withoutPadding(flags: number, payload: Buffer): Buffer {
  if ((flags & Flag.PADDED) === 0) return payload;
  const padding = payload[0];
  if (padding === undefined || padding >= payload.length) throw protocolError("the padding is longer than the frame");
  return payload.subarray(1, payload.length - padding);
}

/** Removes the obsolete priority fields (RFC 9113 section 5.3.2) of a HEADERS frame. Throws a `ConnectionError` if the frame is too short. */
export function withoutPriority(flags: number, content: Buffer): Buffer {
  if ((flags & Flag.PRIORITY) === 0) return content;
  if (content.length < PRIORITY_BYTES) throw wrongSize();
  return content.subarray(PRIORITY_BYTES);
}

/** Throws a `ConnectionError` if the stream id or the payload length of a frame is invalid for its type (RFC 9113 section 6). */
export function requireFrameShape(type: number, flags: number, streamId: number, length: number): void {
  const shape = SHAPES[type];
  if (shape === undefined) return;
  if (shape.of !== undefined && (shape.of === "stream") !== (streamId !== 0)) {
    throw protocolError("the stream id is invalid for the frame type");
  }
  if (shape.bytes !== undefined && shape.bytes !== length) throw wrongSize();
  if (shape.leastBytes !== undefined && length < shape.leastBytes) throw wrongSize();
  if (type === FrameType.SETTINGS && (flags & Flag.ACK) !== 0 && length > 0) throw wrongSize();
}

/** Rules for a frame type. The length of PRIORITY is checked elsewhere, because a wrong one is only a stream error. */
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
  return new ConnectionError(ErrorCode.FRAME_SIZE_ERROR, "the payload length is invalid for the frame type");
}
