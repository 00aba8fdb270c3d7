import { sql, type Transaction } from "kysely";
import { Migrator } from "kysely/migration";
import { MIGRATION_LOCK, migrations } from "./migrate.js";
import type { Schema } from "./tables/schema.js";

/** Keeps other servers from migrating until the transaction ends; waits for one that does. */
export async function lockMigrations(transaction: Transaction<Schema>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction);
}

/**
 * Brings the schema up to date, or to the migration `target`, which must not be older than the schema. The caller holds the lock of
 * `lockMigrations`.
 *
 * @returns the names of the migrations that this call applied.
 * @throws the database's error; the transaction must be rolled back then.
 */
export async function migrateWithin(transaction: Transaction<Schema>, target?: string): Promise<string[]> {
  const migrator = new Migrator({ db: transaction, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error, results } = await (target === undefined ? migrator.migrateToLatest() : migrator.migrateTo(target));
  if (error !== undefined) throw error;
  return (results ?? []).map((result) => result.migrationName);
}
