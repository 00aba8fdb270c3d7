import { TrustedProxies } from "@calltrack/http";
import type { Settings } from "./settings.js";

/** A rate limit: `quota` requests per window. */
export interface RateLimit {
  readonly quota: number;
  readonly windowMs: number;
}

/** The limits for requests and connections; undefined stands for no limit. docs/limits.md gives the reasons. */
export interface LimitsSettings {
  /** Maximum size of a message, compressed and decompressed, in every protocol. */
  readonly maxBodyBytes: number;
  /** Maximum total size of bodies of calls that have not begun. */
  readonly maxPendingBodyBytes: number;
  /** Maximum total size of such bodies from one client address. */
  readonly maxPendingBodyBytesPerAddress: number;
  /** Maximum size of a request's headers; over HTTP/1.1 this includes the URL. */
  readonly maxHeaderBytes: number;
  /** Maximum length of a URL without scheme and host. */
  readonly maxUrlBytes: number;
  /** Timeout for receiving the headers of a request. */
  readonly headerTimeoutMs: number;
  /** Timeout for receiving a whole request. */
  readonly bodyTimeoutMs: number;
  /** Maximum duration of a call after its request was received, whatever deadline the client sets. */
  readonly requestTimeoutMs: number;
  /** Timeout for a client that reads nothing of a pending response. */
  readonly sendTimeoutMs: number;
  /** Timeout of a connection without requests. */
  readonly idleTimeoutMs: number;
  /** Maximum total size of responses that wait for clients to read them. */
  readonly maxUnsentBytes: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number | undefined;
  /** Maximum number of streams per HTTP/2 connection. */
  readonly maxStreams: number;
  /** Maximum number of calls in progress. */
  readonly maxRequests: number | undefined;
  /** Rate limit per authenticated caller. */
  readonly callerRate: RateLimit | undefined;
  /** Rate limit per client address, for requests without a known caller. */
  readonly addressRate: RateLimit | undefined;
  readonly trustedProxies: TrustedProxies;
}

const HOUR_MS = 3_600_000;
const WINDOWS_MS = new Map([
  ["s", 1000],
  ["m", 60_000],
  ["h", HOUR_MS],
]);
const KIB = 1024;
const MIB = 1024 ** 2;

/** Limits that operators have no reason to change; docs/limits.md explains the values. */
const CONNECTION_LIMITS = {
  maxHeaderBytes: 16 * KIB,
  maxUrlBytes: 8 * KIB,
  sendTimeoutMs: 30_000,
  maxUnsentBytes: 256 * MIB,
  maxConnections: 16_384,
  maxConnectionsPerAddress: 512,
  maxStreams: 256,
} as const;

const MAX_HEADER_TIMEOUT_MS = 10_000;

/**
 * How much longer an idle connection stays open than a request may take. Load balancers usually close theirs after 60
 * s, and must close first.
 */
const IDLE_MARGIN_MS = 15_000;

/** The limit of pending bodies, as a number of bodies of the maximum size. */
const PENDING_BODIES = { perAddress: 4, total: 8 };
const MIN_PENDING_BODY_BYTES = { perAddress: 16 * MIB, total: 32 * MIB };

/** Reads the limits. */
export function readLimitsSettings(settings: Settings): LimitsSettings {
  const maxBodyBytes = settings.size("MAX_BODY_SIZE", "4MiB", KIB, 256 * MIB);
  const requestTimeoutMs = settings.duration("REQUEST_TIMEOUT", "60s", 100, HOUR_MS);
  return {
    maxBodyBytes,
    maxPendingBodyBytes: Math.max(MIN_PENDING_BODY_BYTES.total, PENDING_BODIES.total * maxBodyBytes),
    maxPendingBodyBytesPerAddress: Math.max(
      MIN_PENDING_BODY_BYTES.perAddress,
      PENDING_BODIES.perAddress * maxBodyBytes,
    ),
    ...CONNECTION_LIMITS,
    headerTimeoutMs: Math.min(MAX_HEADER_TIMEOUT_MS, requestTimeoutMs),
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
  const [quota, windowMs] = [Number(count), WINDOWS_MS.get(unit)];
  return quota >= 1 && windowMs !== undefined ? { quota, windowMs } : undefined;
}
