import { ENVIRONMENT_VARIABLES_SCHEMA } from "./variables.js";

/** Variables that the help omits: settings of earlier releases, and variables that OpenTelemetry reads itself. */
type Unlisted = "HTTP_SERVER" | "DATABASE_REPLICA_URL" | "TIMELINE" | `OTEL_${string}`;

/** The meaning of each setting in a few words, for `--help`. In the order of docs/configuration.md. */
const MEANINGS: Readonly<Record<Exclude<keyof typeof ENVIRONMENT_VARIABLES_SCHEMA.shape, Unlisted>, string>> = {
  HOST: "host name or IP address on which the server listens",
  PORT: "port of the API; 0 picks a free port",
  OPS_PORT: "separate port for metrics and health checks, which need no authentication there",
  BASE_PATH: "prefix of all JSON paths, such as /api",
  PUBLIC_URL: "URL at which phone systems reach the server; not needed if HOST is a loopback address",
  WEBHOOKS_ALLOW_PRIVATE: "on or off: whether webhook endpoints may have private addresses, and URLs without TLS",
  CONSOLE: "on or off: whether the server serves the web console",
  WORKERS: "number of processes that share the port, or auto; more than 1 requires PostgreSQL",
  TLS_CERT: "PEM file of the server's TLS certificate; the server loads a replaced file within a second",
  TLS_KEY: "PEM file of the private key for the certificate in TLS_CERT",
  TLS_CLIENT_CA: "PEM file of the certificate authorities that issue client certificates",
  AUTH: "how callers authenticate: none, or one or more of keys,jwt,certs; required unless HOST is a loopback address",
  PUBLIC_HOSTS: "hosts by which clients may reach the server, in addition to loopback hosts; only with AUTH=none",
  TLS_CLIENT_SCOPES: "scopes that client certificates give to callers, for all certificates or by certificate name",
  OIDC_ISSUER: "URL of the issuer whose access tokens are accepted",
  OIDC_AUDIENCE: "audience that access tokens must name",
  OIDC_SCOPE_CLAIM: "name of the token claim with the scopes; scope by default",
  OIDC_ACCOUNT_CLAIM: "name of the token claim with the account to which the caller is bound",
  OIDC_CLIENT_ID: "OAuth client id with which the console signs users in",
  OIDC_SCOPE: "scopes that the console requests when users sign in; openid by default",
  MAX_BODY_SIZE: "maximum size of a request message",
  REQUEST_TIMEOUT: "maximum time to receive a request, and maximum time to answer it afterwards",
  MAX_REQUESTS: "maximum number of concurrent requests per process, or off",
  RATE_LIMIT_CALLER: "rate limit per caller, such as 100/s, or off",
  RATE_LIMIT_ADDRESS: "rate limit per client address, such as 100/s, or off",
  TRUSTED_PROXIES: "addresses or networks of proxies whose X-Forwarded-For header is trusted",
  DATABASE_URL:
    "URL of the PostgreSQL database, such as postgres://user:password@host:5432/database; if unset, the server uses the embedded database",
  DATA_DIR: "folder for the embedded database, and for reports of phone calls while PostgreSQL is unavailable",
  SECRETS_KEY: "key of 32 bytes in base64 that encrypts credentials of phone systems and secrets of webhook endpoints",
  // cspell:disable-next-line
  UNREGISTERED_NUMBERS: "refuse or register: what happens if the number of a new pool is not registered",
  POOL_MINIMUM: "number of sources that each automanaged pool may serve, even if its utilization permits fewer",
  VISIT_THRESHOLD: "number of visits that a source must exceed before pools serve the source",
  VISIT_WINDOW_DAYS: "number of days, including today, whose visits count toward VISIT_THRESHOLD",
  GRACE_PERIOD: "how long a flagged call tracker still tracks calls; 30d by default",
  NUMBER_REST: "minimum time between the return of a tracking number to the inventory and its next use",
  PASS_INTERVAL: "maximum time from a visit to the next pass over the pools of the visited property",
  PASSES: "on or off: whether this server runs passes over pools",
  CLOCK: "real or virtual: the clock of passes; requests can advance a virtual clock, for tests",
  CALL_RETENTION: "how long calls are kept after their start",
  HISTORY_RETENTION: "how long the history of call trackers and their numbers is kept",
  EVENT_RETENTION: "how long events are kept, from 1d to 400d",
  CALLER_NUMBERS: "keep or hash: whether callers' phone numbers are stored, or only their hashes",
  LOG_LEVEL: "minimum level of logged lines: fatal, error, warn, info, debug, trace or silent",
  AUDIT_RETENTION: "how long entries of the audit log are kept",
};

/** The names of all settings except those of earlier releases. */
export const LISTED_SETTING_NAMES: readonly string[] = Object.keys(MEANINGS);

const WIDTH = Math.max(...LISTED_SETTING_NAMES.map((name) => name.length));

/** One line per setting: its name, its meaning, and its default value, if any, in brackets. */
export const SETTING_HELP_LINES: readonly string[] = Object.entries(MEANINGS).map(([name, meaning]) => {
  const { def } = ENVIRONMENT_VARIABLES_SCHEMA.shape[name as keyof typeof MEANINGS]._zod as {
    def: { defaultValue?: unknown };
  };
  const value = def.defaultValue === undefined || def.defaultValue === "" ? "" : ` [${def.defaultValue}]`;
  return `  ${name.padEnd(WIDTH)}  ${meaning}${value}`;
});
