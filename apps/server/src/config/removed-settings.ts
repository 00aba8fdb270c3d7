import { ConfigError } from "./config-error.js";

const REQUEST_TIMEOUT = "REQUEST_TIMEOUT, from which all timeouts of a connection follow";
const FIXED = "nothing: the value is fixed, see docs/limits.md";

/** Environment variables of earlier releases, and what to set instead of each. */
export const REMOVED_SETTINGS: Readonly<Record<string, string>> = {
  BODY_TIMEOUT: REQUEST_TIMEOUT,
  CONNECT_TIMEOUT: "nothing: the value is fixed, see docs/database.md",
  DATABASE_PREPARE: "pgbouncer=true as a parameter of DATABASE_URL",
  FORWARDING_HEADER: "nothing: trusted proxies must send X-Forwarded-For",
  HEADER_TIMEOUT: REQUEST_TIMEOUT,
  IDLE_TIMEOUT: REQUEST_TIMEOUT,
  MAX_CONNECTIONS: FIXED,
  MAX_CONNECTIONS_PER_ADDRESS: FIXED,
  MAX_HEADER_SIZE: FIXED,
  MAX_STREAMS: FIXED,
  MAX_UNSENT_SIZE: FIXED,
  MAX_URL_SIZE: FIXED,
  OIDC_SCOPE_PREFIX: "nothing: scopes are accepted with and without the prefix calltrack:",
  OPS_HOST: "OPS_PORT to host and port, such as 127.0.0.1:9464",
  SEND_TIMEOUT: FIXED,
  SLOW_REQUEST: "nothing: see calltrack_request_duration_seconds in the metrics, or LOG_LEVEL=debug",
  STATEMENT_TIMEOUT: "nothing: the value is fixed, see docs/database.md",
};

/** @throws ConfigError that names the successor, if the removed variable has a value. */
export function refuseRemoved(name: string, value: string | undefined): void {
  if (value) throw new ConfigError(`${name} must not be set, as it was removed: set ${REMOVED_SETTINGS[name]}`);
}
