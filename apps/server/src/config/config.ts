import { availableParallelism } from "node:os";
import type { TlsSettings } from "@calltrack/http";
import { type AuthSettings, readAuthSettings } from "./auth-settings.js";
import { ConfigError, ConfigErrors } from "./config-error.js";
import type { DatabaseLocation } from "./database-location.js";
import { type LimitsSettings, readLimitsSettings } from "./limits-settings.js";
import { type OpsSettings, readOpsSettings } from "./ops-settings.js";
import { DEFAULT_POOL_RULES, type PoolRules } from "./pool-rules.js";
import { REMOVED_SETTINGS, rejectRemovedSetting } from "./removed-settings.js";
import { parseChoice, parseCount, parseDuration } from "./setting-values.js";
import { readTlsSettings } from "./tls-settings.js";
import { readTracingSettings, type TracingSettings } from "./tracing-settings.js";

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const DEFAULT_HOST = "127.0.0.1";

const MAX_WORKERS = 128;

/** How a pool is handled whose original number is not registered by its account. */
export type UnregisteredNumbers = "refuse" | "register";

/** How callers' numbers are stored: in full, or only as hashes. */
export type CallerNumbers = "keep" | "hash";

/** The configuration of the server, read from environment variables. */
export interface Config {
  readonly host: string;
  /** 0 to 65535; 0 picks a free port. */
  readonly port: number;
  /** The HTTP server implementation: the project's own, or that of Node.js. */
  readonly httpServer: "own" | "node";
  /** The number of processes that serve on the port. */
  readonly workers: number;
  /** The authentication methods; undefined if authentication is off. */
  readonly auth: AuthSettings | undefined;
  /** The address of metrics and health; undefined if only health is served, on the port of the API. */
  readonly ops: OpsSettings | undefined;
  /** The TLS certificates; undefined for unencrypted connections. */
  readonly tls: TlsSettings | undefined;
  /** The limits for requests and connections. */
  readonly limits: LimitsSettings;
  readonly database: DatabaseLocation;
  /** Prefix of the JSON paths: empty, or a slash and segments without a slash at the end. */
  readonly basePath: string;
  readonly unregisteredNumbers: UnregisteredNumbers;
  readonly poolRules: PoolRules;
  /** Whether the web console is served. */
  readonly hasConsole: boolean;
  /** How long entries of the audit log are kept. */
  readonly auditRetentionMs: number;
  /** How long calls are kept after they started. */
  readonly callRetentionMs: number;
  /** Whether callers' numbers are stored, or only their hashes. */
  readonly callerNumbers: CallerNumbers;
  /** Whether this server runs passes over due pools; if not, other servers on the same database do. */
  readonly managesPools: boolean;
  /** Whether the clock of pool management can be advanced through the API. */
  readonly hasVirtualClock: boolean;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Tracing of requests; undefined if tracing is off. */
  readonly tracing: TracingSettings | undefined;
}

/**
 * Reads the configuration from environment variables. An empty variable counts as unset.
 *
 * @throws ConfigError that names every invalid variable.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const errors = new ConfigErrors();
  const collect = errors.collect.bind(errors);
  for (const name in REMOVED_SETTINGS) collect(() => rejectRemovedSetting(name, environment[name]));
  const read = (name: string, byDefault: string) => environment[name] || byDefault;
  const choice = <T extends string>(name: string, byDefault: T, choices: readonly T[]) =>
    collect(() => parseChoice(name, read(name, byDefault), choices));
  const count = (name: string, byDefault: number, min: number) =>
    collect(() => parseCount(name, read(name, `${byDefault}`), min));
  const duration = (name: string, byDefault: string, minMs = 0, maxMs?: number) =>
    collect(() => parseDuration(name, read(name, byDefault), minMs, maxMs));
  const host = read("HOST", DEFAULT_HOST);
  const workers = collect(() => parseWorkers(read("WORKERS", "1"), read("DATABASE_URL", "") === ""));
  const config: Config = {
    host,
    port: collect(() => parsePort(read("PORT", "8080"))),
    httpServer: choice("HTTP_SERVER", "own", ["own", "node"]),
    workers,
    ops: collect(() => readOpsSettings(read, host)),
    tls: collect(() => readTlsSettings(read)),
    auth: collect(() => readAuthSettings(read, host)),
    limits: collect(() => readLimitsSettings(read)),
    database: collect(() =>
      parseDatabase(read("DATABASE_URL", ""), read("DATA_DIR", ".data"), read("DATABASE_REPLICA_URL", ""), workers),
    ),
    basePath: collect(() => parseBasePath(read("BASE_PATH", ""))),
    unregisteredNumbers: choice("UNREGISTERED_NUMBERS", "refuse", ["refuse", "register"]),
    poolRules: {
      minimum: count("POOL_MINIMUM", DEFAULT_POOL_RULES.minimum, 0),
      visitThreshold: count("VISIT_THRESHOLD", DEFAULT_POOL_RULES.visitThreshold, 0),
      visitWindowDays: count("VISIT_WINDOW_DAYS", DEFAULT_POOL_RULES.visitWindowDays, 1),
      timelineMs: duration("TIMELINE", "30d"),
      passIntervalMs: duration("PASS_INTERVAL", "60s", 1),
      numberRestMs: duration("NUMBER_REST", "0s"),
    },
    hasConsole: choice("CONSOLE", "on", ["on", "off"]) === "on",
    auditRetentionMs: duration("AUDIT_RETENTION", "400d", 1),
    callRetentionMs: duration("CALL_RETENTION", "400d", 1),
    callerNumbers: choice("CALLER_NUMBERS", "keep", ["keep", "hash"]),
    managesPools: choice("PASSES", "on", ["on", "off"]) === "on",
    hasVirtualClock: choice("CLOCK", "real", ["real", "virtual"]) === "virtual",
    logLevel: choice("LOG_LEVEL", "info", LOG_LEVELS),
    tracing: collect(() => readTracingSettings(read)),
  };
  errors.throwIfAny();
  return config;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new ConfigError(`PORT must be a number from 0 to 65535, not ${JSON.stringify(text)}`);
}

function parseWorkers(text: string, isEmbedded: boolean): number {
  const count = text === "auto" ? (isEmbedded ? 1 : availableParallelism()) : Number(text);
  if (!/^(?:auto|\d+)$/.test(text) || count < 1 || count > MAX_WORKERS) {
    throw new ConfigError(`WORKERS must be auto or a number from 1 to ${MAX_WORKERS}, not ${JSON.stringify(text)}`);
  }
  if (count === 1 || !isEmbedded) return count;
  throw new ConfigError("WORKERS must be 1 without DATABASE_URL: the embedded database supports one process only");
}

function parseDatabase(url: string, directory: string, replicaUrl: string, processes: number): DatabaseLocation {
  if (url === "" && replicaUrl === "") return { kind: "embedded", directory };
  if (url === "") throw new ConfigError("DATABASE_REPLICA_URL must be unset without DATABASE_URL, its primary");
  const primary = { kind: "postgres", processes, ...parseDatabaseUrl("DATABASE_URL", url) } as const;
  if (replicaUrl === "") return primary;
  return { ...primary, replicaUrl: parseDatabaseUrl("DATABASE_REPLICA_URL", replicaUrl).url };
}

/** The URL without the parameter `pgbouncer`, and whether prepared statements can be used. */
function parseDatabaseUrl(name: string, text: string): { readonly url: string; readonly prepare: boolean } {
  const url = URL.parse(text);
  if (!/^postgres(?:ql)?:$/.test(url?.protocol ?? "")) {
    // The URL may contain a password, so the message does not repeat it.
    throw new ConfigError(`${name} must be a URL such as postgres://user:password@host:5432/database`);
  }
  const pgbouncer = url?.searchParams.get("pgbouncer") ?? null;
  if (url === null || pgbouncer === null) return { url: text, prepare: true };
  if (pgbouncer !== "true" && pgbouncer !== "false") {
    throw new ConfigError(`${name} must set its pgbouncer parameter to true or false`);
  }
  url.searchParams.delete("pgbouncer");
  return { url: url.href, prepare: pgbouncer === "false" };
}

function parseBasePath(text: string): string {
  if (/^(?:\/[\w.~-]+)*$/.test(text)) return text;
  throw new ConfigError(
    `BASE_PATH must start with a slash and not end with one, such as /api, not ${JSON.stringify(text)}`,
  );
}
