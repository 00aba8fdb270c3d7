import { type Kysely, sql } from "kysely";
import { UnusableDatabaseError } from "../../errors/unusable-database-error.js";
import type { Schema } from "../tables/schema.js";
import { accountColumnOf, PLACEMENTS } from "./placement.js";

/** The first version of Citus that can keep a table on one worker. */
const OLDEST_CITUS = 12;

/** Any number that nothing else in the database locks. */
const DISTRIBUTION_LOCK = 7_221_034_520;

type Table = keyof Schema;

const TABLES = (Object.keys(PLACEMENTS) as Table[]).filter((table) => PLACEMENTS[table] !== "on the coordinator");

/**
 * Spreads the tables of a database over the servers of its Citus cluster, with the rows that they have, in one transaction. Safe to
 * run again, and to be run again when a worker was added: it does what is not done yet.
 *
 * @returns the tables that this call has placed.
 * @throws UnusableDatabaseError if there is no Citus, or if a table is placed in another way already; else the database's error.
 *   Nothing is changed then.
 */
export async function distribute(db: Kysely<Schema>): Promise<readonly Table[]> {
  const placed = await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(DISTRIBUTION_LOCK)})`.execute(transaction);
    await requireCitus(transaction);
    const tables = await findUnplaced(transaction);
    if (tables.length > 0) await removeObstacles(transaction);
    for (const table of tables) await place(transaction, table);
    await letWorkersReadClock(transaction);
    return tables;
  });
  // What the tables held before is still on this server, though nobody sees it any more.
  for (const table of TABLES) {
    await sql`select truncate_local_data_after_distributing_table(${sql.lit(table)})`.execute(db);
  }
  return placed;
}

async function requireCitus(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ version: number }>`
    select split_part(extversion, '.', 1)::integer as version from pg_extension where extname = 'citus'`.execute(db);
  const version = rows[0]?.version;
  if (version === undefined) {
    throw new UnusableDatabaseError(
      "the database has no Citus: create the extension in it on every server of the cluster, add the workers with " +
        "citus_add_node, and run this again with the coordinator's DATABASE_URL",
    );
  }
  if (version < OLDEST_CITUS) {
    throw new UnusableDatabaseError(
      `Citus ${version} cannot keep a table on one worker: update it to ${OLDEST_CITUS} or newer`,
    );
  }
}

/** The tables that nobody has placed yet. */
async function findUnplaced(db: Kysely<Schema>): Promise<Table[]> {
  const { rows } = await sql<{ name: string; placement: string }>`
    select table_name::text as name,
      case when citus_table_type = 'reference' then 'everywhere'
        when citus_table_type = 'distributed' and distribution_column = '<none>' then 'on one worker'
        else 'by ' || distribution_column end as placement
    from citus_tables`.execute(db);
  const placements = new Map(rows.map(({ name, placement }) => [name, placement]));
  for (const table of TABLES) {
    const wanted = PLACEMENTS[table] === "by account" ? `by ${accountColumnOf(table)}` : PLACEMENTS[table];
    const placement = placements.get(table) ?? wanted;
    if (placement === wanted) continue;
    throw new UnusableDatabaseError(
      `the table ${table} is distributed ${placement}, not ${wanted}: undo that with ` +
        `select undistribute_table('${table}', cascade_via_foreign_keys => true), and run this again`,
    );
  }
  return TABLES.filter((table) => !placements.has(table));
}

/** Removes what tables of a cluster cannot have: identity columns, and references to tables that are placed otherwise. */
async function removeObstacles(db: Kysely<Schema>): Promise<void> {
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

async function place(db: Kysely<Schema>, table: Table): Promise<void> {
  const name = sql.lit(table);
  switch (PLACEMENTS[table]) {
    case "everywhere":
      return void (await sql`select create_reference_table(${name})`.execute(db));
    case "on one worker":
      return void (await sql`select create_distributed_table(${name}, null, colocate_with := 'none')`.execute(db));
    case "by account": {
      const beside = sql.lit(table === "accounts" ? "none" : "accounts");
      await sql`
        select create_distributed_table(${name}, ${sql.lit(accountColumnOf(table))}, colocate_with := ${beside})`.execute(
        db,
      );
    }
  }
}

/**
 * Lets `clock_now()` read the clock when it is called for a shard: Citus does not know that what is everywhere can be read
 * anywhere.
 */
async function letWorkersReadClock(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  await sql`
    alter database ${sql.id(rows[0]?.name ?? "")} set citus.allow_nested_distributed_execution = on`.execute(db);
}
