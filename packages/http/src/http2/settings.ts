import type { HttpLimits } from "../limits/http-limits.js";
import { createFrame, FrameType, MAX_FRAME_BYTES, MAX_UINT31 } from "./frame.js";
import { ConnectionError, ErrorCode } from "./http2-error.js";
import { STREAM_WINDOW_BYTES } from "./request-body.js";

/** Ids of the supported settings (RFC 9113 section 6.5.2). */
const Setting = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const;

const SETTING_BYTES = 6;
const MAX_ALLOWED_FRAME_BYTES = 2 ** 24 - 1;

/** The settings that a client sent; undefined if missing. If a setting is repeated, the last value applies. */
export interface ClientSettings {
  headerTableSize?: number;
  initialWindowSize?: number;
}

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

/** Parses the payload of a SETTINGS frame. Throws a `ConnectionError` if a value is invalid. */
export function readSettings(payload: Buffer): ClientSettings {
  if (payload.length % SETTING_BYTES !== 0) {
    throw new ConnectionError(ErrorCode.FRAME_SIZE_ERROR, "the length of SETTINGS is not a multiple of 6");
  }
  const settings: ClientSettings = {};
  for (let at = 0; at < payload.length; at += SETTING_BYTES) {
    readSetting(settings, payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
  }
  return settings;
}

function readSetting(settings: ClientSettings, id: number, value: number): void {
  switch (id) {
    case Setting.HEADER_TABLE_SIZE:
      settings.headerTableSize = value;
      break;
    case Setting.ENABLE_PUSH:
      if (value > 1) throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, "ENABLE_PUSH must be 0 or 1");
      break;
    case Setting.INITIAL_WINDOW_SIZE:
      if (value > MAX_UINT31)
        throw new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, "INITIAL_WINDOW_SIZE exceeds 2^31 - 1");
      settings.initialWindowSize = value;
      break;
    case Setting.MAX_FRAME_SIZE:
      if (value < MAX_FRAME_BYTES || value > MAX_ALLOWED_FRAME_BYTES) {
        throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, "MAX_FRAME_SIZE is out of range");
      }
      break;
  }
}
