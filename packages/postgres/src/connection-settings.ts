import type { ClientConfig } from "pg";

export interface ConnectionSettings {
  readonly client: ClientConfig;
  /** How long to wait for a connection to open or become free. */
  readonly connectTimeoutMs: number;
  /**
   * Whether a connection always has the same server session, which is false behind PgBouncer in transaction mode. If true, statements are
   * named, so that the server parses and plans each of them once per connection. Running statements can then be canceled.
   */
  readonly prepare: boolean;
  /** The PostgreSQL settings of each session. */
  readonly session: Readonly<Record<string, string>>;
  /** The maximum duration of a statement; 0 for no limit. */
  readonly statementTimeoutMs: number;
}
