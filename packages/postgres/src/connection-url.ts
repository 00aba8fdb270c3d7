import { readFileSync } from "node:fs";
import { type ConnectionOptions, createSecureContext } from "node:tls";
import type { ClientConfig } from "pg";

export interface ConnectionUrl {
  /** The options for clients of `pg`. */
  readonly client: ClientConfig;
  /** Undefined if the URL does not have `connect_timeout`. */
  readonly connectTimeoutMs: number | undefined;
  /** Whether the URL names a PgBouncer in transaction mode: `pgbouncer=true`. */
  readonly isPgBouncer: boolean;
}

/**
 * Thrown for an invalid connection URL. The message completes a sentence such as "DATABASE_URL must …". The message never quotes a part of the URL
 * that may be a password.
 */
export class ConnectionUrlError extends Error {
  override readonly name = "ConnectionUrlError";
}

/** Matches a libpq URI, with groups for user, password, address, database and parameters. No group may contain the delimiter of another. */
const URL_PATTERN = /^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^@/?#]*)(?:\/([^@?#]*))?(?:\?([^@#]*))?$/i;

const ADDRESS_PATTERN = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/;

const EXAMPLE =
  "be a URL such as postgres://user:password@host:5432/database, with special characters percent-encoded, such as %40 for @ in a password";

/**
 * The parameters of libpq and `pg` for which only the default behavior is supported, keyed by name. Each RegExp matches the parameter values that
 * describe this behavior.
 */
const FIXED_VALUES: ReadonlyMap<string, RegExp> = new Map([
  ["channel_binding", /^(?:disable|prefer)$/],
  ["client_encoding", /^(?:utf-?8|unicode|auto)$/i],
  ["encoding", /^(?:utf-?8|unicode|auto)$/i],
  ["gssencmode", /^(?:disable|prefer)$/],
  ["keepalives", /^1$/],
  ["target_session_attrs", /^(?:any|primary|read-write)$/],
  ["uselibpqcompat", /^(?:true|false)$/],
]);

const PARAMETERS = [
  ...["host", "port", "dbname", "user", "password", "options", "application_name", "fallback_application_name"],
  ...[
    "connect_timeout",
    "pgbouncer",
    "ssl",
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "sslpassword",
    "sslnegotiation",
  ],
] as const;

/** Parameters that imply `sslmode=verify-full` if `ssl` and `sslmode` are absent. */
const TLS_PARAMETERS = ["sslrootcert", "sslcert", "sslkey", "sslnegotiation"] as const;

const MODES = ["disable", "require", "verify-ca", "verify-full", "no-verify"] as const;

/** The `sslmode` that each value of pg's parameter `ssl` stands for. */
const SSL_VALUES: ReadonlyMap<string | undefined, (typeof MODES)[number]> = new Map([
  ["true", "verify-full"],
  ["1", "verify-full"],
  ["false", "disable"],
  ["0", "disable"],
  ["no-verify", "no-verify"],
]);

type Parameters = Readonly<Partial<Record<(typeof PARAMETERS)[number], string>>>;

/**
 * Parses a connection URL with parameters of libpq and `pg`, and reads the certificate files that the URL names.
 *
 * @throws ConnectionUrlError
 */
export function parseConnectionUrl(url: string): ConnectionUrl {
  const [, user, password, address = "", database, query] = URL_PATTERN.exec(url) ?? fail(EXAMPLE);
  const parameters = readParameters(query);
  const { host, port } = readAddress(address, parameters);
  const isSocket = host?.startsWith("/") === true;
  const ssl = isSocket ? false : readTls(parameters);
  const client = {
    host,
    port,
    user: parameters.user ?? decode(user),
    password: parameters.password ?? decode(password),
    database: parameters.dbname ?? decode(database),
    options: parameters.options,
    application_name: parameters.application_name ?? parameters.fallback_application_name,
    ssl,
    sslnegotiation: isSocket ? undefined : choose("sslnegotiation", parameters.sslnegotiation, ["postgres", "direct"]),
  };
  return {
    client: Object.fromEntries(Object.entries(client).filter(([, value]) => value !== undefined && value !== "")),
    connectTimeoutMs: readSeconds(parameters.connect_timeout),
    isPgBouncer: choose("pgbouncer", parameters.pgbouncer, ["true", "false"]) === "true",
  };
}

function fail(rule: string): never {
  throw new ConnectionUrlError(`must ${rule}`);
}

function decode(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text);
  } catch {
    return fail(EXAMPLE);
  }
}

function readParameters(query: string | undefined): Parameters {
  // As in libpq, a plus sign is literal. In `options`, it stands for a space, because programs that build URLs encode spaces that way.
  const parameters = Object.fromEntries(new URLSearchParams(query?.replaceAll("+", "%2B")));
  if (parameters.options !== undefined) parameters.options = parameters.options.replaceAll("+", " ");
  for (const [name, value] of Object.entries(parameters)) {
    if (FIXED_VALUES.get(name)?.test(value) || (PARAMETERS as readonly string[]).includes(name)) continue;
    if (FIXED_VALUES.has(name)) fail(`not set ${name} to an unsupported value: remove the parameter`);
    fail(`not have the parameter ${name}: use only ${[...PARAMETERS, ...FIXED_VALUES.keys()].join(", ")}`);
  }
  return parameters;
}

function readAddress(address: string, parameters: Parameters) {
  const [, host = "", port] = ADDRESS_PATTERN.exec(address) ?? [];
  const found = parameters.host ?? decode(host.replace(/^\[(.*)\]$/, "$1"));
  if (`${address}${parameters.host}${parameters.port}`.includes(",")) fail("name one host, not several");
  if (!ADDRESS_PATTERN.test(address)) fail(EXAMPLE);
  const number = parameters.port ?? port;
  if (!number) return { host: found, port: undefined };
  if (!/^\d{1,5}$/.test(number) || Number(number) < 1 || Number(number) > 65_535)
    fail("have a port between 1 and 65535");
  return { host: found, port: Number(number) };
}

function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text)) fail("set connect_timeout to a whole number of seconds");
  return Number(text) === 0 ? undefined : Number(text) * 1000;
}

function choose<T extends string>(name: string, value: string | undefined, values: readonly T[]): T | undefined {
  if (value === undefined || (values as readonly string[]).includes(value)) return value as T | undefined;
  return fail(`set ${name} to ${values.slice(0, -1).join(", ")} or ${values.at(-1)}`);
}

/** Converts libpq's parameters for TLS to pg's option `ssl`. Undefined if the URL has no such parameter. */
function readTls(parameters: Parameters): ConnectionOptions | false | undefined {
  const { ssl, sslmode, sslrootcert } = parameters;
  const implied = TLS_PARAMETERS.some((name) => parameters[name] !== undefined) ? "verify-full" : undefined;
  const known = choose("ssl", ssl, [...SSL_VALUES.keys()] as string[]);
  const mode = choose("sslmode", sslmode, MODES) ?? SSL_VALUES.get(known) ?? implied;
  if (mode === undefined) return undefined;
  if (mode === "disable") return false;
  const hasAuthority = sslrootcert !== undefined && sslrootcert !== "system";
  if (mode === "verify-ca" && !hasAuthority) fail("set sslrootcert to a file, because sslmode is verify-ca");
  if (mode === "require" && sslrootcert === "system") fail("set sslmode to verify-full, because sslrootcert is system");
  const certificates = readCertificates(parameters);
  if (mode === "no-verify" || (mode === "require" && !hasAuthority))
    return { ...certificates, rejectUnauthorized: false };
  return mode === "verify-full" ? certificates : { ...certificates, checkServerIdentity: () => undefined };
}

function readCertificates({ sslrootcert, sslcert, sslkey, sslpassword }: Parameters): ConnectionOptions {
  if ((sslcert === undefined) !== (sslkey === undefined)) fail("set both sslcert and sslkey, or neither");
  const read = (name: string, path: string) => {
    try {
      return readFileSync(path, "utf8");
    } catch (error) {
      return fail(`set ${name} to a readable file: ${(error as Error).message}`);
    }
  };
  const options = {
    ...(sslrootcert !== undefined && sslrootcert !== "system" && { ca: read("sslrootcert", sslrootcert) }),
    ...(sslcert !== undefined && { cert: read("sslcert", sslcert) }),
    ...(sslkey !== undefined && { key: read("sslkey", sslkey) }),
    ...(sslpassword !== undefined && { passphrase: sslpassword }),
  };
  try {
    createSecureContext(options);
  } catch (error) {
    fail(
      `set sslrootcert, sslcert and sslkey to PEM files, and sslkey to the key of sslcert: ${(error as Error).message}`,
    );
  }
  return options;
}
