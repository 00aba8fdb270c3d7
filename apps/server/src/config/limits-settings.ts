import { DEFAULT_HTTP_LIMITS, type HttpLimits } from "./http-limits.js";
import type { RateLimit } from "./rate-limit.js";
import type { Settings } from "./settings.js";

/** The limits for requests and connections; undefined stands for no limit. docs/limits.md gives the reasons. */
export interface LimitsSettings extends HttpLimits {
  /** Maximum size of a message, compressed and decompressed, in every protocol. */
  readonly maxBodyBytes: number;
  /** Maximum length of a URL without scheme and host. */
  readonly maxUrlBytes: number;
  /** Maximum duration of an RPC after its request was received, whatever deadline the client sets. */
  readonly requestTimeoutMs: number;
  readonly maxRequests: number | undefined;
  /** Rate limit per authenticated caller. */
  readonly callerRate: RateLimit | undefined;
  /** Rate limit per client address, for requests from unknown callers. */
  readonly addressRate: RateLimit | undefined;
}

/** Not a setting, because operators have no reason to change it. docs/limits.md explains this value and those in `DEFAULT_HTTP_LIMITS`. */
const MAX_URL_BYTES = 8 * 1024;

/**
 * How much longer an idle connection stays open than a request may take. Load balancers usually close idle connections after 60 s, and must
 * do so before the server does.
 */
const IDLE_MARGIN_MS = 15_000;

/** The limits of pending bodies, expressed as numbers of bodies of the maximum size. */
const PENDING_BODIES = { perAddress: 4, total: 8 };

export function createLimits(settings: Settings): LimitsSettings {
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
    // While an RPC runs, its connection is silent.
    idleTimeoutMs: requestTimeoutMs + IDLE_MARGIN_MS,
    maxRequests: settings.MAX_REQUESTS,
    callerRate: settings.RATE_LIMIT_CALLER,
    addressRate: settings.RATE_LIMIT_ADDRESS,
    trustedProxies: settings.TRUSTED_PROXIES,
  };
}
