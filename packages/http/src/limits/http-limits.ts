import { TrustedProxies } from "./client-address.js";

/** Bounds on what clients may send and hold. `undefined` is no limit. */
export interface HttpLimits {
  /** Headers of a request in bytes; over HTTP/1.1 the request line is one of them. */
  readonly maxHeaderBytes: number;
  /** Time for the headers of a request to arrive, and for the first bytes of a connection. */
  readonly headerTimeoutMs: number;
  /** Time for a whole request to arrive; between two pieces of a body that is open-ended. */
  readonly bodyTimeoutMs: number;
  /** Time that draining waits for requests and their responses before it closes their connections. */
  readonly requestTimeoutMs: number;
  /** Time in which a client reads nothing of the response that waits for it. */
  readonly sendTimeoutMs: number;
  /** Time without requests on a connection. */
  readonly idleTimeoutMs: number;
  /** Bytes of responses that wait for clients to read them, over all connections. */
  readonly maxUnsentBytes: number;
  /** Bytes of request bodies that nobody has taken, over all connections; see `BodyBudget`. */
  readonly maxPendingBodyBytes: number;
  /** Those from one address. */
  readonly maxPendingBodyBytesPerAddress: number;
  readonly maxConnections: number;
  /** Not for trusted proxies. */
  readonly maxConnectionsPerAddress: number | undefined;
  /** Concurrent streams of an HTTP/2 connection. */
  readonly maxStreams: number;
  readonly trustedProxies: TrustedProxies;
}

const MIB = 1024 ** 2;

/** The limits where nothing else is set. */
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
  trustedProxies: new TrustedProxies(""),
};
