import type { PostgresOptions } from "@calltrack/postgres";

export interface PostgresSettings
  extends Pick<PostgresOptions, "url" | "prepare" | "connectTimeoutMs" | "statementTimeoutMs"> {
  /** The number of server processes that share the maximum number of connections. Default: 1. */
  readonly processes?: number;
  /** Whether the tables are distributed over a Citus cluster. `detectCitusDistribution` sets it. Default: false. */
  readonly isDistributed?: boolean;
}

/** Stands for the data directory of an embedded database in memory, which is lost when its process ends. */
export const IN_MEMORY_DIRECTORY = "memory://";

export type DatabaseLocation =
  | ({ readonly kind: "postgres" } & PostgresSettings)
  /** `directory` is a path or `IN_MEMORY_DIRECTORY`. */
  | { readonly kind: "embedded"; readonly directory: string };

/** Returns the location with statement timeouts turned off, for work that may take longer than a request, such as migrations. */
export function withoutStatementTimeout(location: DatabaseLocation): DatabaseLocation {
  return location.kind === "embedded" ? location : { ...location, statementTimeoutMs: 0 };
}
