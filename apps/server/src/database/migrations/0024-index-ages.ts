import { type Kysely, sql } from "kysely";
import { isDatabaseDistributed } from "../distribution/is-database-distributed.js";

/**
 * Recreates the indexes that find single rows, so that they are newer than the indexes that order lists. While a table has no statistics, both kinds
 * of index have the same estimated cost, and PostgreSQL then uses the newer index. An index for a list, such as `(account_id, started_at, id)`, finds
 * a call only by reading all calls of the account.
 */
export async function up(db: Kysely<never>): Promise<void> {
  // Citus plans each execution for the current size of the tables.
  if (await isDatabaseDistributed(db)) return;
  for (const [name, key] of PRIMARY_KEYS) {
    if (await hasRows(db, name)) continue;
    const constraint = sql.id(`${name}_pkey`);
    await sql`
      alter table ${sql.table(name)} drop constraint ${constraint},
        add constraint ${constraint} primary key (${sql.join(key.map((column) => sql.ref(column)))})`.execute(db);
  }
  if (await hasRows(db, "tracking_numbers")) return;
  await sql`drop index tracking_numbers_of_inventory`.execute(db);
  await sql`
    create index tracking_numbers_of_inventory on tracking_numbers (phone_number) where area_code is not null`.execute(
    db,
  );
}

const PRIMARY_KEYS = [
  ["calls", ["account_id", "id"]],
  ["audit_entries", ["account_id", "id"]],
  ["webhook_deliveries", ["account_id", "endpoint_id", "position"]],
] as const;

/**
 * Whether a table has rows. A table with rows keeps its indexes: it has statistics, or gets them from autovacuum, and new indexes would take long to
 * create.
 */
async function hasRows(db: Kysely<never>, name: string): Promise<boolean> {
  const { rows } = await sql`select from ${sql.table(name)} limit 1`.execute(db);
  return rows.length > 0;
}
