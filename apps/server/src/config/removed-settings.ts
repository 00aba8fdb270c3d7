const REQUEST_TIMEOUT = "set REQUEST_TIMEOUT, which determines all connection timeouts";
const FIXED = "remove it; the value is fixed, see docs/limits.md";

/** Removed environment variables, and what to do instead of setting each. */
export const REMOVED_SETTINGS: Readonly<Record<string, string>> = {
  BODY_TIMEOUT: REQUEST_TIMEOUT,
  CONNECT_TIMEOUT: "remove it; the value is fixed, see docs/database.md",
  DATABASE_PREPARE: "set pgbouncer=true as a parameter of DATABASE_URL",
  FORWARDING_HEADER: "remove it; trusted proxies must send X-Forwarded-For",
  HEADER_TIMEOUT: REQUEST_TIMEOUT,
  HTTP_SERVER: "remove it; the server uses Node's HTTP servers",
  IDLE_TIMEOUT: REQUEST_TIMEOUT,
  MAX_CONNECTIONS: FIXED,
  MAX_CONNECTIONS_PER_ADDRESS: FIXED,
  MAX_HEADER_SIZE: FIXED,
  MAX_STREAMS: FIXED,
  MAX_UNSENT_SIZE: FIXED,
  MAX_URL_SIZE: FIXED,
  OIDC_SCOPE_PREFIX: "remove it; scopes are accepted with and without the prefix calltrack:",
  OPS_HOST: "set OPS_PORT to a host and port, such as 127.0.0.1:9464",
  SEND_TIMEOUT: FIXED,
  SLOW_REQUEST: "remove it; see calltrack_request_duration_seconds in the metrics, or set LOG_LEVEL=debug",
  STATEMENT_TIMEOUT: "remove it; the value is fixed, see docs/database.md",
};
