import { sql, type Transaction } from "kysely";
import type { Logger } from "pino";
import { type DatabaseLocation, withoutStatementTimeout } from "../../config/database-location.js";
import { detectCitusDistribution } from "../detect-citus-distribution.js";
import { withDatabase } from "../open-database.js";
import type { Schema } from "../tables/schema.js";
import { findSchemaTables } from "./dump-catalog.js";
import { DUMP_SESSION_SETTINGS } from "./dump-format.js";

export type DumpTransactionWork<T> = (db: Transaction<Schema>) => Promise<T>;

/**
 * Opens a database, and calls `work` in a read-only transaction with a consistent snapshot. Servers can write at the same time, unless the
 * database is distributed: Citus has no snapshots across workers, so writes wait for the transaction. Migrations always wait.
 */
export async function runDumpTransaction<T>(
  location: DatabaseLocation,
  log: Logger,
  work: DumpTransactionWork<T>,
): Promise<T> {
  const found = await detectCitusDistribution(withoutStatementTimeout(location));
  const lock = found.kind === "postgres" && found.isDistributed ? "share" : "access share";
  return withDatabase(found, log, async ({ kysely }) => {
    const tables = await findSchemaTables(kysely);
    const reading = kysely.transaction().setIsolationLevel("repeatable read").setAccessMode("read only");
    return reading.execute(async (transaction) => {
      // Locks before the first SELECT takes the snapshot: a table that a migration rewrites after the snapshot would appear empty.
      await lockTables(transaction, tables, lock);
      await applySettings(transaction);
      return work(transaction);
    });
  });
}

export function runRestoreTransaction<T>(
  location: DatabaseLocation,
  log: Logger,
  work: DumpTransactionWork<T>,
): Promise<T> {
  return withDatabase(withoutStatementTimeout(location), log, ({ kysely }) =>
    kysely.transaction().execute(async (transaction) => {
      await applySettings(transaction);
      return work(transaction);
    }),
  );
}

export async function lockTables(
  db: Transaction<Schema>,
  tables: readonly { readonly name: string }[],
  mode: "access share" | "share" | "exclusive",
): Promise<void> {
  if (tables.length === 0) return;
  await sql`lock table ${sql.join(tables.map(({ name }) => sql.table(name)))} in ${sql.raw(mode)} mode`.execute(db);
}

async function applySettings(db: Transaction<Schema>): Promise<void> {
  const settings = Object.entries(DUMP_SESSION_SETTINGS).map(
    ([name, value]) => sql`set_config(${sql.lit(name)}, ${sql.lit(value)}, true)`,
  );
  await sql`select ${sql.join(settings)}`.execute(db);
}
