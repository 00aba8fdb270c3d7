/** How to connect to PostgreSQL. */
export interface ConnectionSettings {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  /** Time to wait for a new connection. */
  readonly connectTimeoutMs: number;
  /** Whether statements are named, so that the server parses and plans each once a connection. */
  readonly prepare: boolean;
  /** Command-line options for the session, such as `-c name=value`. */
  readonly options: string | undefined;
  /** Time that a statement may run; 0 for no limit. */
  readonly statementTimeoutMs: number;
  /** Whether a read-only server is refused. */
  readonly needsPrimary: boolean;
}

/** How long the server may stay silent after the timeout of a statement before its connection counts as lost. */
export const MAX_SILENCE_MS = 5000;

/** The configuration of a `pg` client. Its type is inferred, so that users of the package need no types of `pg`. */
export function clientConfig({ url, connectTimeoutMs, options }: ConnectionSettings) {
  return {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    ...(options !== undefined && { options }),
  };
}
