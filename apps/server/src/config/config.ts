import { availableParallelism } from "node:os";
import type { TlsSettings } from "@calltrack/http";
import { type AuthSettings, readAuthSettings } from "./auth-settings.js";
import { ConfigError, ConfigErrors } from "./config-error.js";
import type { DatabaseLocation } from "./database-location.js";
import { type LimitsSettings, readLimitsSettings } from "./limits-settings.js";
import { type OpsSettings, readOpsSettings } from "./ops-settings.js";
import { DEFAULT_RULES, type PoolRules } from "./pool-rules.js";
import { REMOVED_SETTINGS, refuseRemoved } from "./removed-settings.js";
import { parseChoice, parseCount, parseDuration } from "./setting-values.js";
import { readTlsSettings } from "./tls-settings.js";
import { readTracingSettings, type TracingSettings } from "./tracing-settings.js";

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const DEFAULT_HOST = "127.0.0.1";

const MOST_WORKERS = 128;

/** What becomes of a pool whose original number its account has not registered. */
export type UnregisteredNumbers = "refuse" | "register";

/** What the server is told by its environment. */
export interface Config {
  readonly host: string;
  /** 0 to 65535; 0 picks a free port. */
  readonly port: number;
  /** Which implementation of HTTP serves: the project's own, or Node's. */
  readonly httpServer: "own" | "node";
  /** How many processes serve on the port. */
  readonly workers: number;
  /** How callers are told apart; undefined if nobody is asked. */
  readonly auth: AuthSettings | undefined;
  /** Where metrics and health are served; undefined if that is on the port of the API. */
  readonly ops: OpsSettings | undefined;
  /** What connections are encrypted with; undefined if they are not. */
  readonly tls: TlsSettings | undefined;
  /** How much callers may ask of the server. */
  readonly limits: LimitsSettings;
  readonly database: DatabaseLocation;
  /** Put before the JSON paths: empty, or `/` and segments without a slash at the end. */
  readonly basePath: string;
  readonly unregisteredNumbers: UnregisteredNumbers;
  readonly poolRules: PoolRules;
  /** How long entries of the audit log are kept. */
  readonly auditRetentionMs: number;
  /** Whether this server manages pools that are due, or leaves that to others on the same database. */
  readonly managesPools: boolean;
  /** Whether the time by which pools are managed can be moved. */
  readonly hasVirtualClock: boolean;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** How requests are traced; undefined if they are not. */
  readonly tracing: TracingSettings | undefined;
}

/**
 * Reads the configuration from environment variables; an empty one counts as unset.
 *
 * @throws ConfigError that names every variable with a bad value.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const errors = new ConfigErrors();
  const collect = errors.collect.bind(errors);
  for (const name in REMOVED_SETTINGS) collect(() => refuseRemoved(name, environment[name]));
  const read = (name: string, byDefault: string) => environment[name] || byDefault;
  const choice = <T extends string>(name: string, byDefault: T, choices: readonly T[]) =>
    collect(() => parseChoice(name, read(name, byDefault), choices));
  const count = (name: string, byDefault: number, least: number) =>
    collect(() => parseCount(name, read(name, `${byDefault}`), least));
  const duration = (name: string, byDefault: string, leastMs = 0, mostMs?: number) =>
    collect(() => parseDuration(name, read(name, byDefault), leastMs, mostMs));
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
      minimum: count("POOL_MINIMUM", DEFAULT_RULES.minimum, 0),
      visitThreshold: count("VISIT_THRESHOLD", DEFAULT_RULES.visitThreshold, 0),
      visitWindowDays: count("VISIT_WINDOW_DAYS", DEFAULT_RULES.visitWindowDays, 1),
      timelineMs: duration("TIMELINE", "30d"),
      passIntervalMs: duration("PASS_INTERVAL", "60s", 1),
      numberRestMs: duration("NUMBER_REST", "0s"),
    },
    auditRetentionMs: duration("AUDIT_RETENTION", "400d", 1),
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
  if (!/^(?:auto|\d+)$/.test(text) || count < 1 || count > MOST_WORKERS) {
    throw new ConfigError(`WORKERS must be auto or a number from 1 to ${MOST_WORKERS}, not ${JSON.stringify(text)}`);
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

/** The URL for the driver, without the parameter `pgbouncer`, and whether the server may keep prepared statements. */
function parseDatabaseUrl(name: string, text: string): { readonly url: string; readonly prepare: boolean } {
  const url = URL.parse(text);
  if (!/^postgres(?:ql)?:$/.test(url?.protocol ?? "")) {
    // The value may hold a password and is not repeated.
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
