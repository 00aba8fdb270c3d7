import { isLockFailure } from "@calltrack/postgres";
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { UnusableDatabaseError } from "../errors/unusable-database-error.js";
import { requireUsableCluster } from "./distribution/require-usable-cluster.js";
import { describeAdvisoryLockHolder, describeTableLockHolders } from "./lock-holders.js";
import * as accountsPhoneNumbersPools from "./migrations/0001-accounts-phone-numbers-pools.js";
import * as callTrackers from "./migrations/0002-call-trackers.js";
import * as passLeases from "./migrations/0003-pass-leases.js";
import * as originalNumbers from "./migrations/0004-original-numbers.js";
import * as apiKeys from "./migrations/0005-api-keys.js";
import * as visitDaysByAccount from "./migrations/0006-visit-days-by-account.js";
import * as idempotencyKeys from "./migrations/0007-idempotency-keys.js";
import * as auditEntries from "./migrations/0008-audit-entries.js";
import * as retiringCallTrackers from "./migrations/0009-retiring-call-trackers.js";
import * as calls from "./migrations/0010-calls.js";
import * as accountFilters from "./migrations/0011-account-filters.js";
import * as phoneSystems from "./migrations/0012-phone-systems.js";
import * as rejectedCalls from "./migrations/0013-rejected-calls.js";
import * as plansAndClock from "./migrations/0014-plans-and-clock.js";
import * as lookupIndexes from "./migrations/0015-lookup-indexes.js";
import * as reportedCalls from "./migrations/0016-reported-calls.js";
import * as callHistory from "./migrations/0017-call-history.js";
import * as answeredBy from "./migrations/0018-answered-by.js";
import * as sipHosts from "./migrations/0019-sip-hosts.js";
import * as sourceAliases from "./migrations/0020-source-aliases.js";
import * as accountOrder from "./migrations/0021-account-order.js";
import * as events from "./migrations/0022-events.js";
import * as webhookEndpoints from "./migrations/0023-webhook-endpoints.js";
import * as indexAges from "./migrations/0024-index-ages.js";
import {
  type BlockedMigrationAttempt,
  type MigrationOptions,
  retryBlockedMigration,
} from "./retry-blocked-migration.js";
import { countAppliedMigrations, recordMigration } from "./schema-history.js";
import type { Schema } from "./tables/schema.js";

/** All migrations of the schema, oldest first. A released migration never changes. */
export const MIGRATIONS_BY_NAME: Readonly<Record<string, Migration>> = {
  "0001-accounts-phone-numbers-pools": accountsPhoneNumbersPools,
  "0002-call-trackers": callTrackers,
  "0003-pass-leases": passLeases,
  "0004-original-numbers": originalNumbers,
  "0005-api-keys": apiKeys,
  "0006-visit-days-by-account": visitDaysByAccount,
  "0007-idempotency-keys": idempotencyKeys,
  "0008-audit-entries": auditEntries,
  "0009-retiring-call-trackers": retiringCallTrackers,
  "0010-calls": calls,
  "0011-account-filters": accountFilters,
  "0012-phone-systems": phoneSystems,
  "0013-rejected-calls": rejectedCalls,
  "0014-plans-and-clock": plansAndClock,
  "0015-lookup-indexes": lookupIndexes,
  "0016-reported-calls": reportedCalls,
  "0017-call-history": callHistory,
  "0018-answered-by": answeredBy,
  "0019-sip-hosts": sipHosts,
  "0020-source-aliases": sourceAliases,
  "0021-account-order": accountOrder,
  "0022-events": events,
  "0023-webhook-endpoints": webhookEndpoints,
  "0024-index-ages": indexAges,
};

export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS_BY_NAME);

/** The key of the advisory lock that prevents concurrent migrations. Arbitrary, but used for nothing else. */
const MIGRATION_LOCK = 7_221_034_518;

/**
 * Migrates the schema to the latest version, in one transaction. If several servers start at the same time, one of them migrates while the
 * others wait, and the others then find nothing to do.
 *
 * Waits only briefly for a locked table, then rolls back and retries, because other statements on the table queue behind a waiting migration.
 *
 * @returns the names of the applied migrations.
 * @throws UnusableDatabaseError or the error of a statement. No migration is then applied.
 */
export async function migrateToLatest(db: Kysely<Schema>, options: MigrationOptions = {}): Promise<string[]> {
  return retryBlockedMigration((lockTimeoutMs) => attemptMigrations(db, lockTimeoutMs), options);
}

async function attemptMigrations(
  db: Kysely<Schema>,
  lockTimeoutMs: number,
): Promise<{ readonly done: string[] } | BlockedMigrationAttempt> {
  let current = "";
  try {
    const done = await db.transaction().execute(async (transaction) => {
      if (!(await tryAcquireMigrationLock(transaction))) return undefined;
      // Turns off the statement timeout that is set for the role or the database. Connections through PgBouncer still have that timeout.
      await sql`set local statement_timeout = 0`.execute(transaction);
      // On a Citus cluster, the lock timeout on the coordinator suffices: every session that uses a table has locked the table on the coordinator.
      await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(transaction);
      return migrateWithinTransaction(transaction, undefined, (name) => {
        current = name;
      });
    });
    if (done !== undefined) return { done };
  } catch (error) {
    if (!isLockFailure(error)) throw error;
    return {
      waitsFor: "lock",
      reason: `migration ${current} waits for a table lock: ${await describeTableLockHolders(db)}`,
    };
  }
  const holder = await describeAdvisoryLockHolder(db, MIGRATION_LOCK);
  return { waitsFor: "migration", reason: `another server is migrating the database: ${holder}` };
}

/** Prevents other servers from migrating until the transaction ends. Waits if another server is migrating. */
export async function acquireMigrationLock(transaction: Kysely<Schema>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction);
}

/**
 * Migrates the schema up to the migration `last`. Default: the latest migration. The caller must hold the lock of `acquireMigrationLock`, and
 * must roll back the transaction if this function throws.
 *
 * @param onBegin called with the name of each migration before it is applied.
 * @returns the names of the applied migrations.
 * @throws UnusableDatabaseError or the error of a statement.
 */
export async function migrateWithinTransaction(
  transaction: Kysely<Schema>,
  last = MIGRATION_NAMES.at(-1) as string,
  onBegin: (name: string) => void = () => {},
): Promise<string[]> {
  await requireUtf8(transaction);
  await requireUsableCluster(transaction);
  // Makes Citus change shards one after the other. After a parallel change, Citus would reject changes to functions in the same transaction.
  await sql`
    select set_config('citus.multi_shard_modify_mode', 'sequential', true) from pg_extension where extname = 'citus'`.execute(
    transaction,
  );
  const pending = MIGRATION_NAMES.slice(
    await countAppliedMigrations(transaction, MIGRATION_NAMES),
    MIGRATION_NAMES.indexOf(last) + 1,
  );
  for (const name of pending) {
    onBegin(name);
    await MIGRATIONS_BY_NAME[name]?.up(transaction);
    await recordMigration(transaction, name);
  }
  return pending;
}

async function requireUtf8(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ encoding: string }>`select current_setting('server_encoding') as encoding`.execute(db);
  const encoding = rows[0]?.encoding;
  if (encoding === "UTF8") return;
  throw new UnusableDatabaseError(
    `the database has the encoding ${encoding}, which cannot store all texts: create a database with encoding 'UTF8' and ` +
      "template template0",
  );
}

/** Like `acquireMigrationLock`, but returns false instead of waiting if another server is migrating. */
async function tryAcquireMigrationLock(transaction: Kysely<Schema>): Promise<boolean> {
  // Acquires a lock of the transaction, because PgBouncer may give the session to another client after the transaction.
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)}) as taken`.execute(transaction);
  return rows[0]?.taken === true;
}
