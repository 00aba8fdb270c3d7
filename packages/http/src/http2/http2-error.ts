/** The error codes of RFC 9113 section 7. */
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

/** One of the error codes. */
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** What a peer did that ends its connection (RFC 9113 section 5.4.1). */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";

  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** What a peer did that ends one stream, and nothing else (RFC 9113 section 5.4.2). */
export class StreamError extends Error {
  override readonly name = "StreamError";

  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** The error of a client that breaks the rules of the connection. */
export function protocolError(message: string): ConnectionError {
  return new ConnectionError(ErrorCode.PROTOCOL_ERROR, message);
}

/** The error of a client that makes more work than it should. */
export function calm(message: string): ConnectionError {
  return new ConnectionError(ErrorCode.ENHANCE_YOUR_CALM, message);
}
