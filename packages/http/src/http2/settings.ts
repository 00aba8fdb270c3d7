import type { HttpLimits } from "../limits/http-limits.js";
import { createFrame, FrameType, MAX_FRAME_BYTES, MAX_UINT31 } from "./frame.js";
import { ConnectionError, ErrorCode, protocolError } from "./http2-error.js";
import { STREAM_WINDOW_BYTES } from "./request-body.js";

/** Ids of the supported settings (RFC 9113 section 6.5.2). The size of the client's HPACK table is ignored: responses do not use it. */
const Setting = {
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const;

const SETTING_BYTES = 6;
const MAX_ALLOWED_FRAME_BYTES = 2 ** 24 - 1;

/** Creates the SETTINGS frame of a server with these limits. */
export function createSettingsFrame({ maxStreams, maxHeaderBytes }: HttpLimits): Buffer {
  const entries = [
    [Setting.MAX_CONCURRENT_STREAMS, maxStreams],
    [Setting.INITIAL_WINDOW_SIZE, STREAM_WINDOW_BYTES],
    [Setting.MAX_HEADER_LIST_SIZE, maxHeaderBytes],
  ] as const;
  const payload = Buffer.alloc(entries.length * SETTING_BYTES);
  entries.forEach(([id, value], index) => {
    payload.writeUInt16BE(id, index * SETTING_BYTES);
    payload.writeUInt32BE(value, index * SETTING_BYTES + 2);
  });
  return createFrame(FrameType.SETTINGS, 0, 0, payload);
}

/**
 * Parses the payload of a client's SETTINGS frame. Returns INITIAL_WINDOW_SIZE; undefined if it is missing. The last value of a repeated
 * setting applies.
 *
 * @throws ConnectionError if a value is invalid.
 */
export function readInitialWindowSize(payload: Buffer): number | undefined {
  if (payload.length % SETTING_BYTES !== 0) {
    throw new ConnectionError(ErrorCode.FRAME_SIZE_ERROR, "the length of SETTINGS is not a multiple of 6");
  }
  let initialWindowSize: number | undefined;
  for (let at = 0; at < payload.length; at += SETTING_BYTES) {
    const [id, value] = [payload.readUInt16BE(at), payload.readUInt32BE(at + 2)];
    requireValidSetting(id, value);
    if (id === Setting.INITIAL_WINDOW_SIZE) initialWindowSize = value;
  }
  return initialWindowSize;
}

function requireValidSetting(id: number, value: number): void {
  if (id === Setting.ENABLE_PUSH && value > 1) throw protocolError("ENABLE_PUSH must be 0 or 1");
  if (id === Setting.INITIAL_WINDOW_SIZE && value > MAX_UINT31) {
    throw new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, "INITIAL_WINDOW_SIZE exceeds 2^31 - 1");
  }
  if (id === Setting.MAX_FRAME_SIZE && (value < MAX_FRAME_BYTES || value > MAX_ALLOWED_FRAME_BYTES)) {
    throw protocolError("MAX_FRAME_SIZE is out of range");
  }
}
