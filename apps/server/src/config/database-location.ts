import type { PostgresOptions } from "@calltrack/postgres";

/** How this service uses PostgreSQL. */
export interface PostgresSettings
  extends Pick<PostgresOptions, "url" | "prepare" | "replicaUrl" | "connectTimeoutMs" | "statementTimeoutMs"> {
  /** The number of processes that share the connections of one server. Default: 1. */
  readonly processes?: number;
  /** Whether the database is spread over several servers; see `findDistribution`. Default: false. */
  readonly isDistributed?: boolean;
}

/** Where the data is kept. */
export type DatabaseLocation =
  | ({ readonly kind: "postgres" } & PostgresSettings)
  /** `directory` may be `memory://`, which keeps nothing. */
  | { readonly kind: "embedded"; readonly directory: string };
