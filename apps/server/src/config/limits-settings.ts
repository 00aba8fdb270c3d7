import { DEFAULT_HTTP_LIMITS, type HttpLimits } from "./http-limits.js";
import type { RateLimit } from "./rate-limit.js";
import type { Settings } from "./settings.js";

/** The limits on requests and connections. `undefined` stands for no limit. docs/limits.md gives the reasons for the values. */
export interface LimitsSettings extends HttpLimits {
  /** Maximum size of a request message, both compressed and decompressed, in every protocol. */
  readonly maxBodyBytes: number;
  /** Maximum length of the path and query of a URL. */
  readonly maxUrlBytes: number;
  /** Maximum duration of an RPC after its request was received, even if the client sets a later deadline. */
  readonly requestTimeoutMs: number;
  readonly maxRequests: number | undefined;
  readonly callerRate: RateLimit | undefined;
  /** Applies per client address to anonymous requests and failed logins. */
  readonly addressRate: RateLimit | undefined;
}

/** A constant, because operators have no reason to change it. docs/limits.md gives the reason for the value. */
const MAX_URL_BYTES = 8 * 1024;

/**
 * Added to the request timeout to get the idle timeout of connections. Load balancers usually close idle connections after 60 s, and must
 * close them before the server does.
 */
const IDLE_MARGIN_MS = 15_000;

/** How many request bodies of the maximum size may be pending, per client address and in total. */
const PENDING_BODIES = { perAddress: 4, total: 8 };

export function createLimitsSettings(settings: Settings): LimitsSettings {
  const { MAX_BODY_SIZE: maxBodyBytes, REQUEST_TIMEOUT: requestTimeoutMs } = settings;
  const { maxPendingBodyBytes, maxPendingBodyBytesPerAddress, headerTimeoutMs } = DEFAULT_HTTP_LIMITS;
  return {
    ...DEFAULT_HTTP_LIMITS,
    maxBodyBytes,
    maxPendingBodyBytes: Math.max(maxPendingBodyBytes, PENDING_BODIES.total * maxBodyBytes),
    maxPendingBodyBytesPerAddress: Math.max(maxPendingBodyBytesPerAddress, PENDING_BODIES.perAddress * maxBodyBytes),
    maxUrlBytes: MAX_URL_BYTES,
    headerTimeoutMs: Math.min(headerTimeoutMs, requestTimeoutMs),
    bodyTimeoutMs: requestTimeoutMs,
    requestTimeoutMs,
    // A connection without traffic may be waiting for the response of a running RPC.
    idleTimeoutMs: requestTimeoutMs + IDLE_MARGIN_MS,
    maxRequests: settings.MAX_REQUESTS,
    callerRate: settings.RATE_LIMIT_CALLER,
    addressRate: settings.RATE_LIMIT_ADDRESS,
    trustedProxies: settings.TRUSTED_PROXIES,
  };
}
