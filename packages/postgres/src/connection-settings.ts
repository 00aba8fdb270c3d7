import type { ClientConfig } from "pg";

/** Settings of connections to PostgreSQL. */
export interface ConnectionSettings {
  readonly client: ClientConfig;
  /** Time to wait for a new connection, or for a free one. */
  readonly connectTimeoutMs: number;
  /**
   * Whether a connection keeps its session: then statements are named, so that the server parses and plans each once per connection, and
   * can be cancelled.
   */
  readonly prepare: boolean;
  /** The settings of each session in PostgreSQL. */
  readonly session: Readonly<Record<string, string>>;
  /** The maximum duration of a statement; 0 for no limit. */
  readonly statementTimeoutMs: number;
}
