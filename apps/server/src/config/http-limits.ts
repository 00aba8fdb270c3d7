import type { TrustedProxies } from "./trusted-proxies.js";

/** Limits on requests, responses and connections. `undefined` means no limit. */
export interface HttpLimits {
  /** Maximum size of request headers in bytes; includes the request line of HTTP/1.1. */
  readonly maxHeaderBytes: number;
  /** Maximum time to receive the headers of a request, or the first bytes of a connection. */
  readonly headerTimeoutMs: number;
  /** Maximum time to receive a complete request; in a stream of messages, the maximum pause between two pieces. */
  readonly bodyTimeoutMs: number;
  /** Maximum time to answer a request after it was received. A closing server waits this long for in-flight requests. */
  readonly requestTimeoutMs: number;
  /** Maximum time without progress while a client reads a response, for each started MiB of unsent bytes. */
  readonly sendTimeoutMs: number;
  /** Maximum time for which a connection stays open without requests. */
  readonly idleTimeoutMs: number;
  /** Maximum total bytes of responses that clients have not read yet. */
  readonly maxUnsentBytes: number;
  /** Maximum total bytes of request bodies that no handler has accepted yet; see `BodyBudget`. */
  readonly maxPendingBodyBytes: number;
  /** The same limit for request bodies from one address. */
  readonly maxPendingBodyBytesPerAddress: number;
  readonly maxConnections: number;
  /** Does not apply to trusted proxies. */
  readonly maxConnectionsPerAddress: number | undefined;
  /** Maximum concurrent streams per HTTP/2 connection. */
  readonly maxStreams: number;
  /** Maximum open streams by kind: API methods, event watchers, and infrastructure (health watches and reflection). */
  readonly openStreams: Readonly<Record<"api" | "watchers" | "infrastructure", OpenStreams>>;
  /** Maximum time without a message in an event stream. The watcher's credentials are checked again at the same interval. */
  readonly bookmarkMs: number;
  readonly trustedProxies: TrustedProxies;
}

/** Maximum open streams from all clients together, and per address and per principal. */
interface OpenStreams {
  readonly total: number;
  readonly perClient: number;
}

const MIB = 1024 ** 2;

export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  maxHeaderBytes: 16 * 1024,
  headerTimeoutMs: 10_000,
  bodyTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  sendTimeoutMs: 30_000,
  idleTimeoutMs: 75_000,
  maxUnsentBytes: 256 * MIB,
  maxPendingBodyBytes: 32 * MIB,
  maxPendingBodyBytesPerAddress: 16 * MIB,
  maxConnections: 16_384,
  maxConnectionsPerAddress: 512,
  maxStreams: 256,
  openStreams: {
    api: { total: 64, perClient: 16 },
    watchers: { total: 1000, perClient: 64 },
    infrastructure: { total: 256, perClient: 64 },
  },
  bookmarkMs: 20_000,
  trustedProxies: () => false,
};
