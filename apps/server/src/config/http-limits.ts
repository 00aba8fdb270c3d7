import type { TrustedProxyCheck } from "./trusted-proxies.js";

/** The limits on requests, responses and connections. `undefined` stands for no limit. */
export interface HttpLimits {
  /** Maximum size of all request headers together. Includes the request line of HTTP/1.1. */
  readonly maxHeaderBytes: number;
  /** Maximum time to receive the headers of a request, or the first bytes of a connection. */
  readonly headerTimeoutMs: number;
  /** Maximum time to receive a complete request. If a client streams messages, the maximum time between two received bytes. */
  readonly bodyTimeoutMs: number;
  /** Maximum time that the server processes a received request. A closing server waits at most this long for in-flight requests. */
  readonly requestTimeoutMs: number;
  /** Maximum time that the server waits for a client that reads no byte of a response. The time applies to each started MiB of unsent bytes. */
  readonly sendTimeoutMs: number;
  /** Maximum time for which an idle connection stays open. */
  readonly idleTimeoutMs: number;
  /** Maximum total bytes in memory of all responses that clients have not read yet. */
  readonly maxUnsentBytes: number;
  /** Maximum total bytes of all request bodies that no handler has accepted yet; see `BodyBudget`. */
  readonly maxPendingBodyBytes: number;
  /** Maximum total bytes of the request bodies from one client address that no handler has accepted yet. */
  readonly maxPendingBodyBytesPerAddress: number;
  readonly maxConnections: number;
  /** Does not apply to connections from trusted proxies. */
  readonly maxConnectionsPerAddress: number | undefined;
  /** Maximum concurrent streams per HTTP/2 connection. */
  readonly maxStreams: number;
  /** Maximum open streams by kind: `watchers` are WatchEvents RPCs, `infrastructure` is gRPC health and reflection, `api` is all other RPCs. */
  readonly openStreams: Readonly<Record<"api" | "watchers" | "infrastructure", OpenStreams>>;
  /** Maximum time without a message to an event watcher. The watcher's credentials are checked again at the same interval. */
  readonly bookmarkMs: number;
  readonly trustedProxies: TrustedProxyCheck;
}

/** `total` limits the open streams of all clients together. `perClient` applies to each client address and to each principal. */
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
