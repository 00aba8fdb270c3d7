/** Frame types (RFC 9113 section 6). Frames of other types are ignored. */
export const FrameType = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

/** Frame flags. ACK applies to SETTINGS and PING, and has the same bit as END_STREAM. */
export const Flag = { ACK: 0x1, END_STREAM: 0x1, END_HEADERS: 0x4, PADDED: 0x8, PRIORITY: 0x20 } as const;

/** Length of a frame header: payload length, type, flags and stream id (RFC 9113 section 4.1). */
export const FRAME_HEADER_BYTES = 9;

/** Maximum payload: the minimum of SETTINGS_MAX_FRAME_SIZE, which every peer accepts. Used in both directions. */
export const MAX_FRAME_BYTES = 16_384;

/** The maximum flow-control window and stream id. */
export const MAX_UINT31 = 2 ** 31 - 1;

/** Writes a frame header at an offset, and returns the offset of its payload. */
export function writeFrameHeader(
  bytes: Buffer,
  offset: number,
  length: number,
  type: number,
  flags: number,
  streamId: number,
): number {
  bytes[offset] = length >> 16;
  bytes[offset + 1] = length >> 8;
  bytes[offset + 2] = length;
  bytes[offset + 3] = type;
  bytes[offset + 4] = flags;
  bytes[offset + 5] = streamId >> 24;
  bytes[offset + 6] = streamId >> 16;
  bytes[offset + 7] = streamId >> 8;
  bytes[offset + 8] = streamId;
  return offset + FRAME_HEADER_BYTES;
}

/** Creates a frame with its payload. */
export function createFrame(type: number, flags: number, streamId: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
  bytes.set(payload, writeFrameHeader(bytes, 0, payload.length, type, flags, streamId));
  return bytes;
}

/** Creates a frame whose payload is one 32-bit integer. */
export function createUint32Frame(type: number, streamId: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + 4);
  bytes.writeUInt32BE(value, writeFrameHeader(bytes, 0, 4, type, 0, streamId));
  return bytes;
}
