import { VARIABLES } from "./variables.js";

/** Variables that the help omits: those of earlier releases, and those that OpenTelemetry reads itself. */
type Unlisted = "HTTP_SERVER" | "DATABASE_REPLICA_URL" | "TIMELINE" | `OTEL_${string}`;

/** The meaning of each setting in a few words, in the order of docs/configuration.md, which says more. */
const MEANINGS: Readonly<Record<Exclude<keyof typeof VARIABLES.shape, Unlisted>, string>> = {
  HOST: "address to listen on",
  PORT: "port of the API; 0 picks a free one",
  OPS_PORT: "separate port for metrics and health, without authentication",
  BASE_PATH: "prefix of the JSON paths, such as /api",
  PUBLIC_URL: "URL at which phone systems reach the server; not needed on a loopback address",
  WEBHOOKS_ALLOW_PRIVATE: "on or off: webhook endpoints at private addresses and without TLS",
  CONSOLE: "on or off: the web console",
  WORKERS: "processes that serve the port, or auto; more than 1 with PostgreSQL only",
  TLS_CERT: "PEM file of the certificate; replaced files are read within a second",
  TLS_KEY: "PEM file of its private key",
  TLS_CLIENT_CA: "PEM file of the authorities that issue client certificates",
  AUTH: "none, or one or more of keys,jwt,certs; required unless HOST is loopback",
  PUBLIC_HOSTS: "with AUTH=none, hosts of the server other than loopback ones",
  TLS_CLIENT_SCOPES: "scopes of client certificates, for all or by name",
  OIDC_ISSUER: "issuer of access tokens",
  OIDC_AUDIENCE: "audience that access tokens must name",
  OIDC_SCOPE_CLAIM: "claim with the scopes: scope by default",
  OIDC_ACCOUNT_CLAIM: "claim with the account that a caller is bound to",
  OIDC_CLIENT_ID: "client id with which the console signs people in",
  OIDC_SCOPE: "scopes that the console requests: openid by default",
  MAX_BODY_SIZE: "maximum size of a message",
  REQUEST_TIMEOUT: "maximum time to receive a request, and again to answer it",
  MAX_REQUESTS: "maximum in-flight requests per process, or off",
  RATE_LIMIT_CALLER: "rate limit per caller, such as 100/s, or off",
  RATE_LIMIT_ADDRESS: "rate limit per client address, such as 100/s, or off",
  TRUSTED_PROXIES: "proxies whose X-Forwarded-For is trusted",
  DATABASE_URL: "PostgreSQL, postgres://user:password@host:5432/database; unset: embedded",
  DATA_DIR: "folder for the embedded database, and for phone calls during outages",
  SECRETS_KEY: "key of 32 bytes in base64 that encrypts credentials of phone systems and secrets of webhook endpoints",
  // cspell:disable-next-line
  UNREGISTERED_NUMBERS: "refuse or register: what happens to new pools for unregistered numbers",
  POOL_MINIMUM: "minimum number of sources that an automanaged pool serves",
  VISIT_THRESHOLD: "a source is served if it has more visits than this",
  VISIT_WINDOW_DAYS: "number of days whose visits count",
  GRACE_PERIOD: "how long a flagged call tracker still tracks calls: 30d by default",
  NUMBER_REST: "how long a returned number rests before it is assigned again",
  PASS_INTERVAL: "maximum time from a visit to the next pass over its pools",
  PASSES: "on or off: whether this server manages pools",
  CLOCK: "real or virtual: tests can advance a virtual clock of pool management",
  CALL_RETENTION: "how long calls are kept",
  HISTORY_RETENTION: "how long the history of numbers is kept",
  EVENT_RETENTION: "how long events are kept, 1d to 400d",
  CALLER_NUMBERS: "keep or hash: how callers' numbers are stored",
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
