import { type Kysely, sql } from "kysely";
import { UnusableDatabaseError } from "../../errors/unusable-database-error.js";
import type { Schema } from "../tables/schema.js";
import { findCitusVersion, requireSupportedCitusVersion } from "./require-usable-cluster.js";
import { getAccountIdColumn, TABLE_PLACEMENTS } from "./table-placement.js";

/** The key of the advisory lock that prevents concurrent distributions. Arbitrary, but used for nothing else. */
const DISTRIBUTION_LOCK = 7_221_034_520;

type Table = keyof Schema;

/** The tables that workers store, in the order in which `distributeTables` distributes them. */
export const DISTRIBUTED_TABLES: readonly Table[] = (Object.keys(TABLE_PLACEMENTS) as Table[]).filter(
  (table) => TABLE_PLACEMENTS[table] !== "on the coordinator",
);

/**
 * Distributes the tables of a database, with their rows, over the workers of its Citus cluster, in one transaction. Idempotent: call this
 * again after adding a worker.
 *
 * @param tables the tables to distribute. Tests pass the tables of an earlier schema.
 * @returns the tables that this call distributed.
 * @throws UnusableDatabaseError if Citus is missing or a table is distributed in another way; or the error of a statement. Nothing is then changed.
 */
export async function distributeTables(db: Kysely<Schema>, tables = DISTRIBUTED_TABLES): Promise<readonly Table[]> {
  const placed = await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(DISTRIBUTION_LOCK)})`.execute(transaction);
    await requireCitus(transaction);
    const unplaced = await findUnplaced(transaction, tables);
    if (unplaced.length > 0) await removeUnsupportedFeatures(transaction);
    for (const table of unplaced) await distributeTable(transaction, table);
    await letWorkersReadClock(transaction);
    return unplaced;
  });
  // Deletes the copies of distributed rows that remain on the coordinator, where no query reads them.
  for (const table of tables) {
    await sql`select truncate_local_data_after_distributing_table(${sql.lit(table)})`.execute(db);
  }
  return placed;
}

async function requireCitus(db: Kysely<Schema>): Promise<void> {
  const version = await findCitusVersion(db);
  if (version === undefined) {
    throw new UnusableDatabaseError(
      "the database lacks the extension Citus: create the extension in this database on every server of the cluster, add the workers with " +
        "citus_add_node, and run calltrack-server distribute again with the coordinator's DATABASE_URL",
    );
  }
  requireSupportedCitusVersion(version);
}

async function findUnplaced(db: Kysely<Schema>, tables: readonly Table[]): Promise<Table[]> {
  const { rows } = await sql<{ name: string; placement: string }>`
    select table_name::text as name,
      case when citus_table_type = 'reference' then 'everywhere'
        when citus_table_type = 'distributed' and distribution_column = '<none>' then 'on one worker'
        else 'by ' || distribution_column end as placement
    from citus_tables`.execute(db);
  const placements = new Map(rows.map(({ name, placement }) => [name, placement]));
  for (const table of tables) {
    const wanted =
      TABLE_PLACEMENTS[table] === "by account" ? `by ${getAccountIdColumn(table)}` : TABLE_PLACEMENTS[table];
    const placement = placements.get(table) ?? wanted;
    if (placement === wanted) continue;
    throw new UnusableDatabaseError(
      `the table ${table} is distributed ${placement}, not ${wanted}: undo its distribution with ` +
        `select undistribute_table('${table}', cascade_via_foreign_keys => true), and run calltrack-server distribute again`,
    );
  }
  return tables.filter((table) => !placements.has(table));
}

/** Removes features that Citus does not support: identity columns, and foreign keys between tables with different placements. */
async function removeUnsupportedFeatures(db: Kysely<Schema>): Promise<void> {
  await drawIdsFromSequence(db, "accounts", "integer");
  await drawIdsFromSequence(db, "call_tracker_changes", "bigint");
  await sql`alter table account_handles drop constraint if exists account_handles_account_id_fkey`.execute(db);
  await sql`alter table call_trackers drop constraint if exists call_trackers_tracking_number_fkey`.execute(db);
}

async function drawIdsFromSequence(db: Kysely<Schema>, table: Table, type: "integer" | "bigint"): Promise<void> {
  const { rows } = await sql<{ next: string }>`
    select (select coalesce(max(id), 0) + 1 from ${sql.table(table)})::text as next
    from pg_attribute where attrelid = ${sql.lit(table)}::regclass and attname = 'id' and attidentity <> ''`.execute(
    db,
  );
  if (rows[0] === undefined) return;
  const sequence = sql.table(`${table}_id_seq`);
  await sql`alter table ${sql.table(table)} alter column id drop identity`.execute(db);
  await sql`
    create sequence ${sequence} as ${sql.raw(type)} start ${sql.raw(rows[0].next)}
    owned by ${sql.ref(`${table}.id`)}`.execute(db);
  await sql`
    alter table ${sql.table(table)} alter column id set default nextval(${sql.lit(`${table}_id_seq`)})`.execute(db);
}

async function distributeTable(db: Kysely<Schema>, table: Table): Promise<void> {
  const name = sql.lit(table);
  switch (TABLE_PLACEMENTS[table]) {
    case "everywhere":
      return void (await sql`select create_reference_table(${name})`.execute(db));
    case "on one worker":
      // Places all tables with this placement on the same worker, because one statement may write to several of them.
      return distributeBeside(db, "tracking_numbers", table, null);
    case "by account":
      return distributeBeside(db, "accounts", table, getAccountIdColumn(table));
  }
}

async function distributeBeside(db: Kysely<Schema>, first: Table, table: Table, column: string | null): Promise<void> {
  const beside = sql.lit(table === first ? "none" : first);
  await sql`
    select create_distributed_table(${sql.lit(table)}, ${sql.lit(column)}, colocate_with := ${beside})`.execute(db);
}

/** Lets `clock_now()` query the table `clock` on a worker. By default, Citus rejects nested queries, even on reference tables. */
async function letWorkersReadClock(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  await sql`
    alter database ${sql.id(rows[0]?.name ?? "")} set citus.allow_nested_distributed_execution = on`.execute(db);
}
