import { FORWARDING_HEADERS, type ForwardingHeader, TrustedProxies } from "@calltrack/http";
import { ConfigError, ConfigErrors } from "../config-error.js";
import { parseCount, parseDuration, parseSize } from "../setting-values.js";
import type { Rate } from "./rate-limiter.js";

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
const MIB = 1024 ** 2;

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
  const size = (name: string, byDefault: string, least: number, most: number) =>
    errors.collect(() => parseSize(name, read(name, byDefault), least, most));
  const time = (name: string, byDefault: string, mostMs = HOUR_MS) =>
    errors.collect(() => parseDuration(name, read(name, byDefault), 100, mostMs));
  const count = (name: string, byDefault: string) => errors.collect(() => parseCount(name, read(name, byDefault), 1));
  const countOrOff = (name: string, byDefault: string) =>
    read(name, byDefault) === "off" ? undefined : count(name, byDefault);
  const maxBodyBytes = size("MAX_BODY_SIZE", "4MiB", 1024, 256 * MIB);
  const rate = (name: string) => errors.collect(() => parseRate(name, read(name, "off")));
  const settings: LimitsSettings = {
    maxBodyBytes,
    maxPendingBodyBytes: Math.max(MIN_PENDING_BODY_BYTES.inAll, LARGEST_BODIES.inAll * maxBodyBytes),
    maxPendingBodyBytesPerAddress: Math.max(
      MIN_PENDING_BODY_BYTES.perAddress,
      LARGEST_BODIES.perAddress * maxBodyBytes,
    ),
    maxHeaderBytes: size("MAX_HEADER_SIZE", "16KiB", 1024, MIB),
    maxUrlBytes: size("MAX_URL_SIZE", "8KiB", 1024, MIB),
    headerTimeoutMs: time("HEADER_TIMEOUT", "10s"),
    bodyTimeoutMs: time("BODY_TIMEOUT", "60s"),
    requestTimeoutMs: time("REQUEST_TIMEOUT", "60s"),
    sendTimeoutMs: time("SEND_TIMEOUT", "30s"),
    idleTimeoutMs: time("IDLE_TIMEOUT", "75s", 24 * HOUR_MS),
    maxUnsentBytes: size("MAX_UNSENT_SIZE", "256MiB", MIB, 1024 * 1024 * MIB),
    maxConnections: count("MAX_CONNECTIONS", "16384"),
    maxConnectionsPerAddress: countOrOff("MAX_CONNECTIONS_PER_ADDRESS", "512"),
    maxStreams: count("MAX_STREAMS", "256"),
    maxRequests: countOrOff("MAX_REQUESTS", "256"),
    callerRate: rate("RATE_LIMIT_CALLER"),
    addressRate: rate("RATE_LIMIT_ADDRESS"),
    trustedProxies: errors.collect(() =>
      parseProxies(read("TRUSTED_PROXIES", ""), parseHeader(read("FORWARDING_HEADER", "x-forwarded-for"))),
    ),
  };
  // A time that could not be read is undefined, and in no wrong order.
  errors.collect(() => requireOrder(settings));
  errors.throwIfAny();
  return settings;
}

function parseRate(name: string, text: string): Rate | undefined {
  if (text === "off") return undefined;
  const [, count = "", unit = ""] = /^(\d{1,9})\/(s|m|h)$/.exec(text) ?? [];
  const [quota, windowMs] = [Number(count), WINDOWS_MS.get(unit)];
  if (quota >= 1 && windowMs !== undefined) return { quota, windowMs };
  throw new ConfigError(
    `${name} must be off or requests a time such as 100/s, 6000/m or 100000/h, not ${JSON.stringify(text)}`,
  );
}

function parseProxies(text: string, header: ForwardingHeader): TrustedProxies {
  try {
    return new TrustedProxies(text, header);
  } catch (error) {
    throw new ConfigError(`TRUSTED_PROXIES ${(error as Error).message}`);
  }
}

function parseHeader(text: string): ForwardingHeader {
  const header = FORWARDING_HEADERS.find((each) => each === text.toLowerCase());
  if (header !== undefined) return header;
  throw new ConfigError(
    `FORWARDING_HEADER must be x-forwarded-for or forwarded, whichever the proxies write, not ${JSON.stringify(text)}`,
  );
}

function requireOrder({ headerTimeoutMs, bodyTimeoutMs, requestTimeoutMs, idleTimeoutMs }: LimitsSettings): void {
  if (headerTimeoutMs > bodyTimeoutMs) {
    throw new ConfigError("HEADER_TIMEOUT must not be more than BODY_TIMEOUT, which is for headers and body together");
  }
  if (idleTimeoutMs <= requestTimeoutMs) {
    throw new ConfigError(
      "IDLE_TIMEOUT must be more than REQUEST_TIMEOUT: while a call runs, its connection is silent",
    );
  }
}
