import { VARIABLES } from "./variables.js";

/** Variables of earlier releases, and those that OpenTelemetry reads itself. */
type Unlisted = "HTTP_SERVER" | "DATABASE_REPLICA_URL" | "TIMELINE" | `OTEL_${string}`;

/** The meaning of each setting in a few words, in the order of docs/configuration.md, which says more. */
const MEANINGS: Readonly<Record<Exclude<keyof typeof VARIABLES.shape, Unlisted>, string>> = {
  HOST: "address to listen on",
  PORT: "port of the API; 0 picks a free one",
  OPS_PORT: "separate port for metrics and health, without authentication",
  BASE_PATH: "prefix of the JSON paths, such as /api",
  PUBLIC_URL: "URL by which phone systems reach the server; on a loopback address it is known",
  WEBHOOKS_ALLOW_PRIVATE: "on or off: webhook endpoints at private addresses and without TLS",
  CONSOLE: "on or off: the web console",
  WORKERS: "processes that serve the port, or auto; more than 1 with PostgreSQL only",
  TLS_CERT: "PEM file of the certificate; replaced files are read within a second",
  TLS_KEY: "PEM file of its private key",
  TLS_CLIENT_CA: "PEM file of the authorities of client certificates",
  AUTH: "none, or one or more of keys,jwt,certs; required unless HOST is loopback",
  PUBLIC_HOSTS: "hosts of the server besides loopback ones, with AUTH=none",
  TLS_CLIENT_SCOPES: "scopes of client certificates, for all or by name",
  OIDC_ISSUER: "issuer of access tokens",
  OIDC_AUDIENCE: "audience that access tokens must name",
  OIDC_SCOPE_CLAIM: "claim with the scopes: scope by default",
  OIDC_ACCOUNT_CLAIM: "claim with the account that a caller is bound to",
  OIDC_CLIENT_ID: "client id with which the console signs people in",
  OIDC_SCOPE: "scopes that the console asks for: openid by default",
  MAX_BODY_SIZE: "largest message",
  REQUEST_TIMEOUT: "time to receive a request, and again to answer it",
  MAX_REQUESTS: "calls in progress for each process, or off",
  RATE_LIMIT_CALLER: "requests of one caller, such as 100/s",
  RATE_LIMIT_ADDRESS: "requests of one address, such as 100/s",
  TRUSTED_PROXIES: "proxies whose X-Forwarded-For is trusted",
  DATABASE_URL: "PostgreSQL, postgres://user:password@host:5432/database; unset: embedded",
  DATA_DIR: "folder of the embedded database and of phone calls during outages",
  SECRETS_KEY: "key of 32 bytes in base64 that encrypts credentials of phone systems and secrets of webhook endpoints",
  UNREGISTERED_NUMBERS: "refuse or register: pools on numbers that are not registered",
  POOL_MINIMUM: "sources that an automanaged pool serves at least",
  VISIT_THRESHOLD: "a source is served if it has more visits",
  VISIT_WINDOW_DAYS: "days whose visits count",
  GRACE_PERIOD: "how long a flagged call tracker still tracks calls: 30d by default",
  NUMBER_REST: "how long a released number rests",
  PASS_INTERVAL: "how often each pool is looked at",
  PASSES: "on or off: whether this server manages pools",
  CLOCK: "real or virtual: the clock of pools, which tests can advance",
  CALL_RETENTION: "how long calls are kept",
  HISTORY_RETENTION: "how long the history of numbers is kept",
  EVENT_RETENTION: "how long events are kept, 1d to 400d",
  CALLER_NUMBERS: "keep or hash: callers' numbers",
  LOG_LEVEL: "fatal, error, warn, info, debug, trace or silent",
  AUDIT_RETENTION: "how long audit entries are kept",
};

/** The names of the settings that the help lists. */
export const LISTED_SETTINGS: readonly string[] = Object.keys(MEANINGS);

const WIDTH = Math.max(...LISTED_SETTINGS.map((name) => name.length));

/** A line for each setting: its name, its meaning, and its default in brackets if it has one. */
export const SETTING_LINES: readonly string[] = Object.entries(MEANINGS).map(([name, meaning]) => {
  const { def } = VARIABLES.shape[name as keyof typeof MEANINGS]._zod as { def: { defaultValue?: unknown } };
  const value = def.defaultValue === undefined || def.defaultValue === "" ? "" : ` [${def.defaultValue}]`;
  return `  ${name.padEnd(WIDTH)}  ${meaning}${value}`;
});
