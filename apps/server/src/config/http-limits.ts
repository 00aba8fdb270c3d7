import type { TrustedProxies } from "./trusted-proxies.js";

/** Limits on requests, responses and connections. `undefined` means no limit. */
export interface HttpLimits {
  /** Maximum size of request headers in bytes; includes the request line of HTTP/1.1. */
  readonly maxHeaderBytes: number;
  /** Maximum time to receive the headers of a request, or the first bytes of a connection. */
  readonly headerTimeoutMs: number;
  /** Maximum time to receive a complete request; for open-ended bodies, the maximum pause between two pieces. */
  readonly bodyTimeoutMs: number;
  /** Maximum time that a closing server waits for requests in progress. */
  readonly requestTimeoutMs: number;
  /** Maximum time in which a client reads nothing of an unsent response. */
  readonly sendTimeoutMs: number;
  /** Maximum time without requests on a connection. */
  readonly idleTimeoutMs: number;
  /** Maximum total bytes of responses that clients have not read yet. */
  readonly maxUnsentBytes: number;
  /** Maximum total bytes of request bodies that no handler has accepted yet; see `BodyBudget`. */
  readonly maxPendingBodyBytes: number;
  /** The same limit for the bodies from one address. */
  readonly maxPendingBodyBytesPerAddress: number;
  readonly maxConnections: number;
  /** Does not apply to trusted proxies. */
  readonly maxConnectionsPerAddress: number | undefined;
  /** Maximum concurrent streams of an HTTP/2 connection. */
  readonly maxStreams: number;
  /** Maximum open streams of messages: of the API, of watchers of events, and of health watches and reflection. */
  readonly openStreams: Readonly<Record<"api" | "watchers" | "infrastructure", OpenStreams>>;
  /** Maximum time without a message in a stream of events. After it, the credentials of the watcher are checked again, too. */
  readonly bookmarkMs: number;
  readonly trustedProxies: TrustedProxies;
}

/** Maximum open streams of all clients, and per address and caller. */
interface OpenStreams {
  readonly total: number;
  readonly perClient: number;
}

const MIB = 1024 ** 2;

/** The default limits of `createHttpServer`. */
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
