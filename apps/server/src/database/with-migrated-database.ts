import type { Logger } from "pino";
import { type DatabaseLocation, withoutStatementTimeout } from "../config/database-location.js";
import { migrateToLatest } from "./migrate.js";
import { type Database, withDatabase } from "./open-database.js";

/**
 * Opens the database without a statement timeout, migrates the database, calls `work`, and closes the database. Logs why a migration is
 * blocked.
 *
 * @param signal aborted to stop waiting for a blocked migration.
 * @param work receives the database, and the names of the migrations that were applied.
 */
export function withMigratedDatabase<T>(
  location: DatabaseLocation,
  log: Logger,
  signal: AbortSignal,
  work: (database: Database, applied: readonly string[]) => Promise<T>,
): Promise<T> {
  const onBlocked = (reason: string) => log.warn({ reason }, "the database schema cannot be migrated yet: retrying");
  return withDatabase(withoutStatementTimeout(location), log, async (database) =>
    work(database, await migrateToLatest(database.kysely, { onBlocked, signal })),
  );
}
