/** Settings of a connection to PostgreSQL. */
export interface ConnectionSettings {
  readonly url: string;
  /** Time to wait for a new connection, or for a free one. */
  readonly connectTimeoutMs: number;
  /** Whether statements are named, so that the server parses and plans each once per connection. */
  readonly prepare: boolean;
  /** Command-line options for the session, such as `-c name=value`. */
  readonly options: string | undefined;
  /** The maximum duration of a statement; 0 for no limit. */
  readonly statementTimeoutMs: number;
  /** Whether to reject a read-only server. */
  readonly needsPrimary: boolean;
}

/** Time after the timeout of a statement until the connection of a silent server counts as lost. */
export const MAX_SILENCE_MS = 5000;

/** Returns the configuration of a `pg` client. Its type is inferred, so that users of the package need no types of `pg`. */
export function clientConfig({ url, connectTimeoutMs, options }: ConnectionSettings) {
  return {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    ...(options !== undefined && { options }),
  };
}
