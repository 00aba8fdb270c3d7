import { availableParallelism } from "node:os";
import { type AuthSettings, createAuthSettings } from "./auth-settings.js";
import { ConfigError } from "./config-error.js";
import type { DatabaseLocation } from "./database-location.js";
import { isTraced } from "./is-traced.js";
import { createLimits, type LimitsSettings } from "./limits-settings.js";
import { isLoopback } from "./loopback.js";
import { findMisspelled, isOfService, type Misspelled } from "./misspelled-settings.js";
import type { OpsSettings } from "./ops-settings.js";
import { createPoolRules, type PoolRules } from "./pool-rules.js";
import type { PublicHost } from "./public-hosts.js";
import { SETTINGS, type Settings } from "./settings.js";
import type { TlsSettings } from "./tls-files.js";
import { VARIABLES } from "./variables.js";

/** The configuration of the server, read from environment variables. */
export interface Config {
  readonly host: string;
  /** 0 to 65535; 0 picks a free port. */
  readonly port: number;
  /** The number of processes that serve on the port. */
  readonly workers: number;
  /** The authentication methods; undefined if authentication is off. */
  readonly auth: AuthSettings | undefined;
  /** Hosts besides those of this machine that are served without authentication. */
  readonly publicHosts: readonly PublicHost[];
  /** The address of metrics and health; undefined if only health is served, on the port of the API. */
  readonly ops: OpsSettings | undefined;
  /** The TLS certificates; undefined for unencrypted connections. */
  readonly tls: TlsSettings | undefined;
  /** The limits for requests and connections. */
  readonly limits: LimitsSettings;
  readonly database: DatabaseLocation;
  /** The folder of files besides the database, also on PostgreSQL; `memory://` for none. */
  readonly dataDirectory: string;
  /** The keys of secrets in the database; the first one encrypts. Undefined if `SECRETS_KEY` is unset. */
  readonly secretKeys: readonly Buffer[] | undefined;
  /** The URL by which phone systems reach the server, without a slash at the end. Undefined if it is unknown. */
  readonly publicUrl: string | undefined;
  /** Whether webhook endpoints may be at private addresses, at any port and without TLS. */
  readonly allowsPrivateWebhooks: boolean;
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
  /** How long events are kept. */
  readonly eventRetentionMs: number;
  /** Retention of the history of call trackers and of the holders of numbers: at least that of calls, which are attributed by it. */
  readonly historyRetentionMs: number;
  /** Whether callers' numbers are stored, or only their hashes. */
  readonly callerNumbers: "keep" | "hash";
  /** Whether this server runs passes over due pools; if not, other servers on the same database do. */
  readonly managesPools: boolean;
  /** Whether the clock of pool management can be advanced through the API. */
  readonly hasVirtualClock: boolean;
  readonly logLevel: Settings["LOG_LEVEL"];
  /** Whether requests are traced, as OpenTelemetry's environment variables describe. */
  readonly isTraced: boolean;
  /** Advice about settings with which the server works, but not as its operator may expect. For the log. */
  readonly advice: readonly string[];
}

/**
 * Reads the configuration from environment variables.
 *
 * @throws ConfigError that names every invalid variable.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  // An empty variable counts as unset.
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, text = ""]) => text !== "" && !isOfService(name, text)),
  );
  const misspelled = findMisspelled(Object.keys(given), Object.keys(VARIABLES.shape));
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
    limits: createLimits(settings),
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
    isTraced: isTraced(settings),
    advice: [
      ...ADVICE.filter(({ isNeeded }) => isNeeded(settings)).map(({ text }) => text),
      ...misspelled.filter(({ isCertain }) => !isCertain).map(describeMisspelled),
      ...(settings.DATABASE_URL === undefined ? [] : Object.keys(given).filter(isPostgresVariable)).map(
        (name) => `${name} is ignored: set the parameters of DATABASE_URL`,
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
    // A server on loopback serves phone systems on this machine only, and knows their URL.
    isNeeded: ({ PUBLIC_URL, HOST }) => PUBLIC_URL === undefined && !isLoopback(HOST),
    text: "PUBLIC_URL is unset: to connect phone systems, set it to the URL by which they reach this server, such as https://calls.example.com",
  },
  {
    isNeeded: ({ SECRETS_KEY, DATABASE_URL }) => SECRETS_KEY === undefined && DATABASE_URL !== undefined,
    text: "SECRETS_KEY is unset: to connect phone systems or create webhook endpoints, set it to a key that openssl rand -base64 32 prints",
  },
];

/** Whether a variable is one of libpq, such as PGOPTIONS, which would change connections without a trace in the settings. */
function isPostgresVariable(name: string): boolean {
  return /^PG[A-Z_]+$/.test(name);
}

/**
 * Reads the configuration of this process, as `readConfig` does, and removes the variables of libpq from its environment: the
 * database driver would read them.
 */
export function takeConfig(): Config {
  const config = readConfig(process.env);
  for (const name of Object.keys(process.env).filter(isPostgresVariable)) delete process.env[name];
  return config;
}

function describeMisspelled({ variable, setting }: Misspelled): string {
  return `${variable} is no setting: write ${setting}, or unset it`;
}

/** Files of variables, such as those of docker run --env-file, keep quotes. No setting has a value that needs them. */
const QUOTED = /^(?:".*"|'.*')$/s;

function unquote(given: Readonly<Record<string, string | undefined>>, names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, given[name]?.slice(1, -1)]));
}

function readSettings(
  given: Readonly<Record<string, string | undefined>>,
  misspelled: readonly Misspelled[],
): Settings {
  const quoted = Object.keys(VARIABLES.shape).filter((name) => QUOTED.test(given[name] ?? ""));
  // The other problems of such a value come from its quotes.
  const { data, error } = SETTINGS.safeParse(quoted.length === 0 ? given : { ...given, ...unquote(given, quoted) });
  if (data !== undefined && misspelled.length === 0 && quoted.length === 0) return data;
  const problems = [
    ...misspelled.map(describeMisspelled),
    ...quoted.map((name) => `${name} must not be in quotes: remove the ${given[name]?.[0]} at both ends`),
    ...(error?.issues ?? []).map(({ path, message }) => `${path.join()} ${message}`),
  ];
  if (problems.length === 1) throw new ConfigError(problems.join());
  throw new ConfigError(`${problems.length} settings are invalid:\n  ${problems.join("\n  ")}`);
}

/** A phone system on this machine reaches a server that only listens to it by this URL. Undefined for others, and for a free port. */
function findLocalUrl({ HOST, PORT, TLS_CERT, BASE_PATH }: Settings): string | undefined {
  if (!isLoopback(HOST) || PORT === 0) return undefined;
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
