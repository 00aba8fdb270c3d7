import { type Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import * as accountsPhoneNumbersPools from "./migrations/0001-accounts-phone-numbers-pools.js";
import * as callTrackers from "./migrations/0002-call-trackers.js";
import * as passLeases from "./migrations/0003-pass-leases.js";
import * as originalNumbers from "./migrations/0004-original-numbers.js";
import * as apiKeys from "./migrations/0005-api-keys.js";
import * as visitDaysByAccount from "./migrations/0006-visit-days-by-account.js";
import * as idempotencyKeys from "./migrations/0007-idempotency-keys.js";
import * as auditEntries from "./migrations/0008-audit-entries.js";
import type { Schema } from "./schema.js";

/** Every migration, oldest first. One that has been released never changes again. */
const migrations: Readonly<Record<string, Migration>> = {
  "0001-accounts-phone-numbers-pools": accountsPhoneNumbersPools,
  "0002-call-trackers": callTrackers,
  "0003-pass-leases": passLeases,
  "0004-original-numbers": originalNumbers,
  "0005-api-keys": apiKeys,
  "0006-visit-days-by-account": visitDaysByAccount,
  "0007-idempotency-keys": idempotencyKeys,
  "0008-audit-entries": auditEntries,
};

/** The names of all migrations, oldest first. */
export const MIGRATIONS: readonly string[] = Object.keys(migrations);

/** Any number that nothing else in the database locks. */
const MIGRATION_LOCK = 7_221_034_518;

/**
 * Brings the schema up to date, in one transaction. Safe when several servers start at once: one migrates, the others wait
 * for its lock and find nothing left to do.
 *
 * @returns the names of the migrations that this call applied.
 * @throws the database's error; nothing is applied then.
 */
export async function migrateToLatest(db: Kysely<Schema>): Promise<string[]> {
  return await db.transaction().execute(async (transaction) => {
    // Kysely's own lock is that of a session, which PgBouncer may give to another client between two transactions.
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction);
    const migrator = new Migrator({ db: transaction, provider: { getMigrations: async () => ({ ...migrations }) } });
    const { error, results } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    return (results ?? []).map((result) => result.migrationName);
  });
}
