import type { PostgresOptions } from "@calltrack/postgres";

export interface PostgresSettings
  extends Pick<PostgresOptions, "url" | "prepare" | "connectTimeoutMs" | "statementTimeoutMs"> {
  /** The number of processes that share the connection limit of one server. Default: 1. */
  readonly processes?: number;
  /** Whether the tables are distributed over a Citus cluster; see `detectDistribution`. Default: false. */
  readonly isDistributed?: boolean;
}

/** The data directory of a database in memory, which is lost when the process ends. */
export const IN_MEMORY = "memory://";

export type DatabaseLocation =
  | ({ readonly kind: "postgres" } & PostgresSettings)
  /** `directory` may be `IN_MEMORY`. */
  | { readonly kind: "embedded"; readonly directory: string };

/** Returns the location without a statement timeout, for migrations and other work that may take longer than a request. */
export function withoutStatementTimeout(location: DatabaseLocation): DatabaseLocation {
  return location.kind === "embedded" ? location : { ...location, statementTimeoutMs: 0 };
}
