import { availableParallelism } from "node:os";
import type { TlsSettings } from "@calltrack/http";
import { type AuthSettings, readAuthSettings } from "./auth-settings.js";
import type { DatabaseLocation } from "./database-location.js";
import { type LimitsSettings, readLimitsSettings } from "./limits-settings.js";
import { type OpsSettings, readOpsSettings } from "./ops-settings.js";
import { type PoolRules, readPoolRules } from "./pool-rules.js";
import { Settings } from "./settings.js";
import { readTlsSettings } from "./tls-settings.js";
import { readTracingSettings, type TracingSettings } from "./tracing-settings.js";

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const MAX_WORKERS = 128;

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
  /** How a pool is handled whose original number is not registered by its account. */
  readonly unregisteredNumbers: "refuse" | "register";
  readonly poolRules: PoolRules;
  /** Whether the web console is served. */
  readonly hasConsole: boolean;
  /** How long entries of the audit log are kept. */
  readonly auditRetentionMs: number;
  /** How long calls are kept after they started. */
  readonly callRetentionMs: number;
  /** Whether callers' numbers are stored, or only their hashes. */
  readonly callerNumbers: "keep" | "hash";
  /** Whether this server runs passes over due pools; if not, other servers on the same database do. */
  readonly managesPools: boolean;
  /** Whether the clock of pool management can be advanced through the API. */
  readonly hasVirtualClock: boolean;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Tracing of requests; undefined if tracing is off. */
  readonly tracing: TracingSettings | undefined;
}

/**
 * Reads the configuration from environment variables.
 *
 * @throws ConfigError that names every invalid variable.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const settings = new Settings(environment);
  const host = settings.text("HOST", "127.0.0.1");
  const workers = readWorkers(settings);
  const config: Config = {
    host,
    port: settings.count("PORT", 8080, 0, 65_535),
    httpServer: settings.choice("HTTP_SERVER", "own", ["own", "node"]),
    workers,
    ops: readOpsSettings(settings, host),
    tls: readTlsSettings(settings),
    auth: readAuthSettings(settings, host),
    limits: readLimitsSettings(settings),
    database: readDatabase(settings, workers),
    basePath: settings.parse("BASE_PATH", "", parseBasePath, "start with a slash and not end with one, such as /api"),
    unregisteredNumbers: settings.choice("UNREGISTERED_NUMBERS", "refuse", ["refuse", "register"]),
    poolRules: readPoolRules(settings),
    hasConsole: settings.choice("CONSOLE", "on", ["on", "off"]) === "on",
    auditRetentionMs: settings.duration("AUDIT_RETENTION", "400d", 1),
    callRetentionMs: settings.duration("CALL_RETENTION", "400d", 1),
    callerNumbers: settings.choice("CALLER_NUMBERS", "keep", ["keep", "hash"]),
    managesPools: settings.choice("PASSES", "on", ["on", "off"]) === "on",
    hasVirtualClock: settings.choice("CLOCK", "real", ["real", "virtual"]) === "virtual",
    logLevel: settings.choice("LOG_LEVEL", "info", LOG_LEVELS),
    tracing: readTracingSettings(settings),
  };
  settings.requireValid();
  return config;
}

function readWorkers(settings: Settings): number {
  const isEmbedded = settings.text("DATABASE_URL") === "";
  const parse = (text: string) => {
    const count = text === "auto" ? (isEmbedded ? 1 : availableParallelism()) : Number(text);
    return /^(?:auto|\d+)$/.test(text) && count >= 1 && count <= MAX_WORKERS ? count : undefined;
  };
  const count = settings.parse("WORKERS", "1", parse, `be auto or a number from 1 to ${MAX_WORKERS}`);
  if (count > 1 && isEmbedded)
    settings.reject("WORKERS must be 1 without DATABASE_URL: the embedded database supports one process only");
  return count;
}

function readDatabase(settings: Settings, processes: number): DatabaseLocation {
  const directory = settings.text("DATA_DIR", ".data");
  if (settings.text("DATABASE_URL") === "") {
    if (settings.text("DATABASE_REPLICA_URL") !== "")
      settings.reject("DATABASE_REPLICA_URL must be unset without DATABASE_URL, its primary");
    return { kind: "embedded", directory };
  }
  const primary = { kind: "postgres", processes, ...readDatabaseUrl(settings, "DATABASE_URL") } as const;
  if (settings.text("DATABASE_REPLICA_URL") === "") return primary;
  return { ...primary, replicaUrl: readDatabaseUrl(settings, "DATABASE_REPLICA_URL").url };
}

/** The URL without the parameter `pgbouncer`, and whether prepared statements can be used. */
function readDatabaseUrl(settings: Settings, name: string): { readonly url: string; readonly prepare: boolean } {
  const text = settings.text(name);
  const url = URL.parse(text);
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol)) {
    // The URL may contain a password, so the message does not repeat it.
    settings.reject(`${name} must be a URL such as postgres://user:password@host:5432/database`);
  }
  const pgbouncer = url?.searchParams.get("pgbouncer") ?? null;
  if (url === null || pgbouncer === null) return { url: text, prepare: true };
  if (pgbouncer !== "true" && pgbouncer !== "false") {
    settings.reject(`${name} must set its pgbouncer parameter to true or false`);
  }
  url.searchParams.delete("pgbouncer");
  return { url: url.href, prepare: pgbouncer === "false" };
}

function parseBasePath(text: string): string | undefined {
  return /^(?:\/[\w.~-]+)*$/.test(text) ? text : undefined;
}
