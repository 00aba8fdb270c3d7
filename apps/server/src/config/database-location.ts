/** How this service uses PostgreSQL. */
export interface PostgresSettings {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  /** Whether the server may keep prepared statements, which PgBouncer may not allow. Default: true. */
  readonly prepare?: boolean;
  /** The number of processes that share the connections of one server. Default: 1. */
  readonly processes?: number;
  /** A streaming standby, for reads; by default, there is none. */
  readonly replicaUrl?: string | undefined;
  /** Whether the database is spread over several servers; see `findDistribution`. Default: false. */
  readonly isDistributed?: boolean;
  /** Time to wait for a connection: for a new one to open, or an open one to become free. */
  readonly connectTimeoutMs?: number;
  /** Time that a statement may run; 0 for no limit. */
  readonly statementTimeoutMs?: number;
}

/** Where the data is kept. */
export type DatabaseLocation =
  | ({ readonly kind: "postgres" } & PostgresSettings)
  /** `directory` may be `memory://`, which keeps nothing. */
  | { readonly kind: "embedded"; readonly directory: string };
