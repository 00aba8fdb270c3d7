import { Flag, FrameType } from "./frame.js";
import { ConnectionError, ErrorCode, protocolError } from "./http2-error.js";

/** Removes the padding of a DATA or HEADERS frame. Throws a `ConnectionError` if the padding is longer than the frame. */
export function removePadding(flags: number, payload: Buffer): Buffer {
  if ((flags & Flag.PADDED) === 0) return payload;
  const padding = payload[0];
  if (padding === undefined || padding >= payload.length) throw protocolError("the padding is longer than the frame");
  return payload.subarray(1, payload.length - padding);
}

/**
 * Removes the obsolete priority fields of a HEADERS frame (RFC 9113 section 5.3.2).
 *
 * @throws ConnectionError if the frame is too short.
 */
export function removePriority(flags: number, content: Buffer): Buffer {
  if ((flags & Flag.PRIORITY) === 0) return content;
  if (content.length < PRIORITY_BYTES) throw frameSizeError();
  return content.subarray(PRIORITY_BYTES);
}

/** Throws a `ConnectionError` if the stream id or the payload length of a frame is invalid for its type (RFC 9113 section 6). */
export function requireValidFrame(type: number, flags: number, streamId: number, length: number): void {
  const rules = FRAME_RULES[type];
  if (rules === undefined) return;
  if (rules.scope !== undefined && (rules.scope === "stream") !== (streamId !== 0)) {
    throw protocolError("the stream id is invalid for the frame type");
  }
  if (rules.bytes !== undefined && rules.bytes !== length) throw frameSizeError();
  if (rules.minBytes !== undefined && length < rules.minBytes) throw frameSizeError();
  if (type === FrameType.SETTINGS && (flags & Flag.ACK) !== 0 && length > 0) throw frameSizeError();
}

/** Rules for a frame type. The length of PRIORITY is checked elsewhere, because a wrong one is only a stream error. */
interface FrameRules {
  readonly scope?: "stream" | "connection";
  readonly bytes?: number;
  readonly minBytes?: number;
}

const PRIORITY_BYTES = 5;

const FRAME_RULES: Readonly<Record<number, FrameRules>> = {
  [FrameType.DATA]: { scope: "stream" },
  [FrameType.HEADERS]: { scope: "stream" },
  [FrameType.PRIORITY]: { scope: "stream" },
  [FrameType.RST_STREAM]: { scope: "stream", bytes: 4 },
  [FrameType.SETTINGS]: { scope: "connection" },
  [FrameType.PING]: { scope: "connection", bytes: 8 },
  [FrameType.GOAWAY]: { scope: "connection", minBytes: 8 },
  [FrameType.WINDOW_UPDATE]: { bytes: 4 },
};

function frameSizeError(): ConnectionError {
  return new ConnectionError(ErrorCode.FRAME_SIZE_ERROR, "the payload length is invalid for the frame type");
}
