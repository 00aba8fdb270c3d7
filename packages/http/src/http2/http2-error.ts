/** HTTP/2 error codes (RFC 9113 section 7). */
export const ErrorCode = {
  NO_ERROR: 0x0,
  PROTOCOL_ERROR: 0x1,
  INTERNAL_ERROR: 0x2,
  FLOW_CONTROL_ERROR: 0x3,
  SETTINGS_TIMEOUT: 0x4,
  STREAM_CLOSED: 0x5,
  FRAME_SIZE_ERROR: 0x6,
  REFUSED_STREAM: 0x7,
  CANCEL: 0x8,
  COMPRESSION_ERROR: 0x9,
  CONNECT_ERROR: 0xa,
  ENHANCE_YOUR_CALM: 0xb,
} as const;

/** An HTTP/2 error code. */
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** A connection error (RFC 9113 section 5.4.1): the client violated the protocol, and its connection ends. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";

  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** A stream error (RFC 9113 section 5.4.2): the client violated the protocol, and only the stream is reset. */
export class StreamError extends Error {
  override readonly name = "StreamError";

  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** Creates a connection error with PROTOCOL_ERROR. */
export function protocolError(message: string): ConnectionError {
  return new ConnectionError(ErrorCode.PROTOCOL_ERROR, message);
}

/** Creates a connection error with ENHANCE_YOUR_CALM, for clients that cause excessive load. */
export function excessiveLoadError(message: string): ConnectionError {
  return new ConnectionError(ErrorCode.ENHANCE_YOUR_CALM, message);
}

/** Creates a connection error for a flow-control window beyond the maximum size (RFC 9113 section 6.9.1). */
export function windowSizeError(): ConnectionError {
  return new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, "the window exceeds 2^31 - 1");
}
