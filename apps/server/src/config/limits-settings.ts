import { TrustedProxies } from "@calltrack/http";
import { ConfigError, ConfigErrors } from "./config-error.js";
import { parseCount, parseDuration, parseSize } from "./setting-values.js";

/** So many requests in so many milliseconds. */
export interface Rate {
  readonly quota: number;
  readonly windowMs: number;
}

/** How much callers may ask of the server. `undefined` is no limit. docs/limits.md has the reasons. */
export interface LimitsSettings {
  /** The most bytes of a message, as it comes and as it is when nothing of it is compressed, over every protocol. */
  readonly maxBodyBytes: number;
  /** The most bytes of bodies whose calls have not begun, all together. */
  readonly maxPendingBodyBytes: number;
  /** The most of them from one address. */
  readonly maxPendingBodyBytesPerAddress: number;
  /** The most bytes of the headers of a request; over HTTP/1.1 the URL is one of them. */
  readonly maxHeaderBytes: number;
  /** The most bytes of a URL without scheme and host. */
  readonly maxUrlBytes: number;
  /** How long the headers of a request may take to arrive. */
  readonly headerTimeoutMs: number;
  /** How long the whole of a request may take to arrive. */
  readonly bodyTimeoutMs: number;
  /** How long a call may take from when its request is there, whatever deadline the client sets. */
  readonly requestTimeoutMs: number;
  /** How long a client may take nothing of an answer that waits for it. */
  readonly sendTimeoutMs: number;
  /** How long nothing may be asked over a connection. */
  readonly idleTimeoutMs: number;
  /** The most bytes of answers that wait for clients to take them, of all together. */
  readonly maxUnsentBytes: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number | undefined;
  /** The most streams of a connection of HTTP/2. */
  readonly maxStreams: number;
  /** The most calls under way. */
  readonly maxRequests: number | undefined;
  /** How often a caller may ask. */
  readonly callerRate: Rate | undefined;
  /** How often an address may ask of which no caller is known. */
  readonly addressRate: Rate | undefined;
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

/** Limits that no operator has a reason to change: docs/limits.md says why they are what they are. */
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

/** Time that an idle connection stays open beyond the request timeout. Load balancers usually close theirs after 60 s, and must be first. */
const IDLE_MARGIN_MS = 15_000;

/** How many of the largest bodies may arrive at the same time, from one address and in all, and the least that this comes to. */
const LARGEST_BODIES = { perAddress: 4, inAll: 8 };
const MIN_PENDING_BODY_BYTES = { perAddress: 16 * MIB, inAll: 32 * MIB };

/**
 * Reads the limits.
 *
 * @throws ConfigError
 */
export function readLimitsSettings(read: (name: string, byDefault: string) => string): LimitsSettings {
  const errors = new ConfigErrors();
  const count = (name: string, byDefault: string) => errors.collect(() => parseCount(name, read(name, byDefault), 1));
  const maxBodyBytes = errors.collect(() => parseSize("MAX_BODY_SIZE", read("MAX_BODY_SIZE", "4MiB"), KIB, 256 * MIB));
  const requestTimeoutMs = errors.collect(() =>
    parseDuration("REQUEST_TIMEOUT", read("REQUEST_TIMEOUT", "60s"), 100, HOUR_MS),
  );
  const rate = (name: string) => errors.collect(() => parseRate(name, read(name, "off")));
  const settings: LimitsSettings = {
    maxBodyBytes,
    maxPendingBodyBytes: Math.max(MIN_PENDING_BODY_BYTES.inAll, LARGEST_BODIES.inAll * maxBodyBytes),
    maxPendingBodyBytesPerAddress: Math.max(
      MIN_PENDING_BODY_BYTES.perAddress,
      LARGEST_BODIES.perAddress * maxBodyBytes,
    ),
    ...CONNECTION_LIMITS,
    headerTimeoutMs: Math.min(MAX_HEADER_TIMEOUT_MS, requestTimeoutMs),
    bodyTimeoutMs: requestTimeoutMs,
    requestTimeoutMs,
    // While a call runs, its connection is silent.
    idleTimeoutMs: requestTimeoutMs + IDLE_MARGIN_MS,
    maxRequests: read("MAX_REQUESTS", "256") === "off" ? undefined : count("MAX_REQUESTS", "256"),
    callerRate: rate("RATE_LIMIT_CALLER"),
    addressRate: rate("RATE_LIMIT_ADDRESS"),
    trustedProxies: errors.collect(() => parseProxies(read("TRUSTED_PROXIES", ""))),
  };
  errors.throwIfAny();
  return settings;
}

function parseProxies(text: string): TrustedProxies {
  try {
    return new TrustedProxies(text);
  } catch (error) {
    throw new ConfigError(`TRUSTED_PROXIES ${(error as Error).message}`);
  }
}

function parseRate(name: string, text: string): Rate | undefined {
  if (text === "off") return undefined;
  const [, count = "", unit = ""] = /^(\d{1,9})\/(s|m|h)$/.exec(text) ?? [];
  const [quota, windowMs] = [Number(count), WINDOWS_MS.get(unit)];
  if (quota >= 1 && windowMs !== undefined) return { quota, windowMs };
  throw new ConfigError(`${name} must be off or a rate such as 100/s, 6000/m or 100000/h, not ${JSON.stringify(text)}`);
}
