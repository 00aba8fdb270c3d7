/** What a client may do on a connection. The times are looked at twice as often as the shortest of them, at most every second. */
export interface Http2Limits {
  /** Streams at a time. */
  readonly maxStreams: number;
  /** The maximum size of a list of headers (RFC 9113 section 6.5.2). Up to four times as many encoded bytes refuse the stream only. */
  readonly maxHeaderBytes: number;
  /** How long a client may take to begin, and for the frames of headers. */
  readonly headerTimeoutMs: number;
  /** How long a body may take from its stream's first frame; of a stream that is `isOpenEnded`, each piece. */
  readonly bodyTimeoutMs: number;
  /** How long a client may take nothing of what waits for it. */
  readonly sendTimeoutMs: number;
  /** How long a connection may have no streams. */
  readonly idleTimeoutMs: number;
  /** Whether many clients share the connection, as behind a proxy: resets do not end it then. Default: false. */
  readonly isShared?: boolean;
}

/** What holds where nothing else is said. */
export const DEFAULT_LIMITS: Http2Limits = {
  maxStreams: 256,
  maxHeaderBytes: 64 * 1024,
  headerTimeoutMs: 60_000,
  bodyTimeoutMs: 300_000,
  sendTimeoutMs: 60_000,
  idleTimeoutMs: 600_000,
};

/** How often the times are looked at, in milliseconds. */
export function checkIntervalOf({ headerTimeoutMs, bodyTimeoutMs, sendTimeoutMs, idleTimeoutMs }: Http2Limits): number {
  return Math.min(1000, Math.min(headerTimeoutMs, bodyTimeoutMs, sendTimeoutMs, idleTimeoutMs) / 2);
}
