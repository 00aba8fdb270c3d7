import { availableParallelism } from "node:os";
import { type AuthSettings, createAuthSettings } from "./auth-settings.js";
import { ConfigError } from "./config-error.js";
import type { DatabaseLocation } from "./database-location.js";
import { isTracingEnabled } from "./is-tracing-enabled.js";
import { createLimitsSettings, type LimitsSettings } from "./limits-settings.js";
import { isLoopbackHost } from "./loopback-host.js";
import { findMisspelledSettings, isKubernetesVariable, type MisspelledSetting } from "./misspelled-settings.js";
import type { OpsAddress } from "./ops-address.js";
import { createPoolRules, type PoolRules } from "./pool-rules.js";
import type { PublicHost } from "./public-hosts.js";
import { LISTED_SETTING_NAMES } from "./setting-help.js";
import { SETTINGS_SCHEMA, type Settings } from "./settings.js";
import type { TlsFilePaths } from "./tls-files.js";
import { ENVIRONMENT_VARIABLES_SCHEMA } from "./variables.js";

export interface Config {
  readonly host: string;
  /** 0 to 65535. The server picks a free port for 0. */
  readonly port: number;
  /** The number of processes that share the port. */
  readonly workers: number;
  /** Undefined if authentication is off. */
  readonly auth: AuthSettings | undefined;
  /** If authentication is off, the hosts in URLs and Host headers that the server accepts in addition to loopback hosts. */
  readonly publicHosts: readonly PublicHost[];
  /** The separate address that serves metrics and health checks. If undefined, the API port serves health checks, but no metrics. */
  readonly ops: OpsAddress | undefined;
  /** The certificate files; undefined if the server does not use TLS. */
  readonly tls: TlsFilePaths | undefined;
  readonly limits: LimitsSettings;
  readonly database: DatabaseLocation;
  /** The folder for the embedded database, and for files that servers on PostgreSQL need too. `memory://` if nothing is stored in files. */
  readonly dataDirectory: string;
  /** The keys that decrypt secrets in the database. The first key also encrypts new secrets. Undefined if `SECRETS_KEY` is unset. */
  readonly secretKeys: readonly Buffer[] | undefined;
  /** The URL at which phone systems reach the server, without a trailing slash. Undefined if the URL is unknown. */
  readonly publicUrl: string | undefined;
  /** Whether webhook endpoints may have private addresses and any port, and need no TLS. */
  readonly allowsPrivateWebhooks: boolean;
  /** The prefix of all JSON paths: empty, or a path with a leading slash and without a trailing slash. */
  readonly basePath: string;
  /** Whether to reject a new pool if its account has not registered the pool's original number, or to register the number. */
  readonly unregisteredNumbers: "refuse" | "register";
  readonly poolRules: PoolRules;
  readonly hasConsole: boolean;
  readonly auditRetentionMs: number;
  /** How long calls are kept after their start. */
  readonly callRetentionMs: number;
  readonly eventRetentionMs: number;
  /**
   * How long the history of call trackers and number assignments is kept. At least `callRetentionMs`, because the history attributes calls to
   * sources.
   */
  readonly historyRetentionMs: number;
  /** Whether the database stores callers' phone numbers, or only hashes of the numbers. */
  readonly callerNumbers: "keep" | "hash";
  /** Whether this server runs passes over pools. If false, another server on the same database must run them. */
  readonly managesPools: boolean;
  /** Whether requests can advance the clock of pool management. */
  readonly hasVirtualClock: boolean;
  readonly logLevel: Settings["LOG_LEVEL"];
  readonly isTracingEnabled: boolean;
  /** Log messages about valid settings that can make the server behave differently than its operator expects. */
  readonly advice: readonly string[];
}

/** Reads the configuration from environment variables. Empty variables count as unset. Throws a ConfigError that names every invalid variable. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, text = ""]) => text !== "" && !isKubernetesVariable(name, text)),
  );
  const misspelled = findMisspelledSettings(Object.keys(given), LISTED_SETTING_NAMES);
  const settings = readSettings(
    given,
    misspelled.filter(({ isCertain }) => isCertain),
  );
  const { HOST: host, TLS_CERT: certFile, TLS_KEY: keyFile, OPS_PORT: ops } = settings;
  return {
    host,
    port: settings.PORT,
    workers: countWorkers(settings),
    ops: ops && { host: ops.host ?? host, port: ops.port },
    tls: certFile && keyFile ? { certFile, keyFile, clientCaFile: settings.TLS_CLIENT_CA } : undefined,
    auth: createAuthSettings(settings),
    publicHosts: settings.PUBLIC_HOSTS ?? [],
    limits: createLimitsSettings(settings),
    database: locateDatabase(settings),
    dataDirectory: settings.DATA_DIR,
    secretKeys: settings.SECRETS_KEY,
    publicUrl: settings.PUBLIC_URL ?? findLocalUrl(settings),
    allowsPrivateWebhooks: settings.WEBHOOKS_ALLOW_PRIVATE === "on",
    basePath: settings.BASE_PATH,
    unregisteredNumbers: settings.UNREGISTERED_NUMBERS,
    poolRules: createPoolRules(settings),
    hasConsole: settings.CONSOLE === "on",
    auditRetentionMs: settings.AUDIT_RETENTION,
    callRetentionMs: settings.CALL_RETENTION,
    eventRetentionMs: settings.EVENT_RETENTION,
    historyRetentionMs: Math.max(settings.HISTORY_RETENTION, settings.CALL_RETENTION),
    callerNumbers: settings.CALLER_NUMBERS,
    managesPools: settings.PASSES === "on",
    hasVirtualClock: settings.CLOCK === "virtual",
    logLevel: settings.LOG_LEVEL,
    isTracingEnabled: isTracingEnabled(settings),
    advice: [
      ...ADVICE.filter(({ isNeeded }) => isNeeded(settings)).map(({ text }) => text),
      ...misspelled.filter(({ isCertain }) => !isCertain).map(describeMisspelled),
      ...(settings.DATABASE_URL === undefined ? [] : Object.keys(given).filter(isPostgresVariable)).map(
        (name) => `${name} is ignored: use parameters in DATABASE_URL instead`,
      ),
    ],
  };
}

const ADVICE: readonly { readonly isNeeded: (settings: Settings) => boolean; readonly text: string }[] = [
  {
    isNeeded: ({ TIMELINE }) => TIMELINE !== undefined,
    text: "TIMELINE is now called GRACE_PERIOD: rename the setting",
  },
  {
    // A loopback host needs no advice: only phone systems on this machine can connect, and `findLocalUrl` returns the URL for them.
    isNeeded: ({ PUBLIC_URL, HOST }) => PUBLIC_URL === undefined && !isLoopbackHost(HOST),
    text: "PUBLIC_URL is unset: to connect phone systems, set it to the URL at which they reach this server, such as https://calls.example.com",
  },
  {
    isNeeded: ({ SECRETS_KEY, DATABASE_URL }) => SECRETS_KEY === undefined && DATABASE_URL !== undefined,
    text: "SECRETS_KEY is unset: to connect phone systems or create webhook endpoints, set it to a key that openssl rand -base64 32 prints",
  },
];

/** Whether an environment variable is for libpq, such as PGOPTIONS. It could change connections, although it is not a setting. */
function isPostgresVariable(name: string): boolean {
  return /^PG[A-Z_]+$/.test(name);
}

/**
 * Reads the configuration from the environment of this process. Deletes libpq's variables, such as PGOPTIONS, from the environment, because
 * the database driver would read them.
 */
export function readProcessConfig(): Config {
  const config = readConfig(process.env);
  for (const name of Object.keys(process.env).filter(isPostgresVariable)) delete process.env[name];
  return config;
}

function describeMisspelled({ variable, setting }: MisspelledSetting): string {
  return `${variable} is not a setting: rename it to ${setting}, or unset it`;
}

/** A value in quotes. No setting needs quotes, but `docker run --env-file`, for example, keeps the quotes in its files. */
const QUOTED = /^(?:".*"|'.*')$/s;

function unquote(given: Readonly<Record<string, string | undefined>>, names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, given[name]?.slice(1, -1)]));
}

function readSettings(
  given: Readonly<Record<string, string | undefined>>,
  misspelled: readonly MisspelledSetting[],
): Settings {
  const quoted = Object.keys(ENVIRONMENT_VARIABLES_SCHEMA.shape).filter((name) => QUOTED.test(given[name] ?? ""));
  // Validates quoted values without their quotes, so that the error reports only the quotes.
  const { data, error } = SETTINGS_SCHEMA.safeParse(
    quoted.length === 0 ? given : { ...given, ...unquote(given, quoted) },
  );
  if (data !== undefined && misspelled.length === 0 && quoted.length === 0) return data;
  const problems = [
    ...misspelled.map(describeMisspelled),
    ...quoted.map((name) => `${name} must not be in quotes: remove the ${given[name]?.[0]} at both ends`),
    ...(error?.issues ?? []).map(({ path, message }) => `${path.join()} ${message}`),
  ];
  if (problems.length === 1) throw new ConfigError(problems.join());
  throw new ConfigError(`${problems.length} settings are invalid:\n  ${problems.join("\n  ")}`);
}

/** Returns the URL at which phone systems on this machine reach the server. Undefined if HOST is no loopback host or PORT is 0. */
function findLocalUrl({ HOST, PORT, TLS_CERT, BASE_PATH }: Settings): string | undefined {
  if (!isLoopbackHost(HOST) || PORT === 0) return undefined;
  return `${TLS_CERT === undefined ? "http" : "https"}://localhost:${PORT}${BASE_PATH}`;
}

function countWorkers({ WORKERS, DATABASE_URL }: Settings): number {
  if (WORKERS !== "auto") return WORKERS;
  return DATABASE_URL === undefined ? 1 : availableParallelism();
}

function locateDatabase(settings: Settings): DatabaseLocation {
  const { DATABASE_URL, DATA_DIR: directory } = settings;
  if (DATABASE_URL === undefined) return { kind: "embedded", directory };
  return { kind: "postgres", processes: countWorkers(settings), url: DATABASE_URL };
}
