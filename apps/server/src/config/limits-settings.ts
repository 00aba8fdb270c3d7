import { DEFAULT_HTTP_LIMITS, type HttpLimits } from "./http-limits.js";
import { type Settings, UNITS_MS } from "./settings.js";
import { TrustedProxies } from "./trusted-proxies.js";

/** A rate limit: `quota` requests per window. */
export interface RateLimit {
  readonly quota: number;
  readonly windowMs: number;
}

/** The limits for requests and connections; undefined stands for no limit. docs/limits.md gives the reasons. */
export interface LimitsSettings extends HttpLimits {
  /** Maximum size of a message, compressed and decompressed, in every protocol. */
  readonly maxBodyBytes: number;
  /** Maximum length of a URL without scheme and host. */
  readonly maxUrlBytes: number;
  /** Maximum duration of a call after its request was received, whatever deadline the client sets. */
  readonly requestTimeoutMs: number;
  /** Maximum number of calls in progress. */
  readonly maxRequests: number | undefined;
  /** Rate limit per authenticated caller. */
  readonly callerRate: RateLimit | undefined;
  /** Rate limit per client address, for requests without a known caller. */
  readonly addressRate: RateLimit | undefined;
}

const HOUR_MS = 3_600_000;
const KIB = 1024;
const MIB = 1024 ** 2;

/** Operators have no reason to change it; docs/limits.md explains the value, and those of `DEFAULT_HTTP_LIMITS`. */
const MAX_URL_BYTES = 8 * KIB;

/**
 * How much longer an idle connection stays open than a request may take. Load balancers usually close theirs after 60
 * s, and must close first.
 */
const IDLE_MARGIN_MS = 15_000;

/** The limit of pending bodies, as a number of bodies of the maximum size. */
const PENDING_BODIES = { perAddress: 4, total: 8 };

/** Reads the limits. */
export function readLimitsSettings(settings: Settings): LimitsSettings {
  const maxBodyBytes = settings.size("MAX_BODY_SIZE", "4MiB", KIB, 256 * MIB);
  const requestTimeoutMs = settings.duration("REQUEST_TIMEOUT", "60s", 100, HOUR_MS);
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
    // While a call runs, its connection is silent.
    idleTimeoutMs: requestTimeoutMs + IDLE_MARGIN_MS,
    maxRequests: settings.text("MAX_REQUESTS") === "off" ? undefined : settings.count("MAX_REQUESTS", 256, 1),
    callerRate: readRate(settings, "RATE_LIMIT_CALLER"),
    addressRate: readRate(settings, "RATE_LIMIT_ADDRESS"),
    trustedProxies: readProxies(settings),
  };
}

function readProxies(settings: Settings): TrustedProxies {
  try {
    return new TrustedProxies(settings.text("TRUSTED_PROXIES"));
  } catch (error) {
    settings.reject(`TRUSTED_PROXIES ${(error as Error).message}`);
    return new TrustedProxies("");
  }
}

function readRate(settings: Settings, name: string): RateLimit | undefined {
  if (settings.text(name, "off") === "off") return undefined;
  return settings.parse(name, "", parseRate, "be off or a rate such as 100/s, 6000/m or 100000/h");
}

function parseRate(text: string): RateLimit | undefined {
  const [, count = "", unit = ""] = /^(\d{1,9})\/(s|m|h)$/.exec(text) ?? [];
  const [quota, windowMs] = [Number(count), UNITS_MS.get(unit)];
  return quota >= 1 && windowMs !== undefined ? { quota, windowMs } : undefined;
}
