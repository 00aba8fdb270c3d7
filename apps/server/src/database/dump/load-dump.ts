import { sql, type Transaction } from "kysely";
import { lockMigrations, MIGRATION_NAMES, migrateWithin } from "../migrate.js";
import { pauseWebhookEndpoints } from "../pause-webhook-endpoints.js";
import { findAppliedMigrations } from "../schema-history.js";
import type { Schema } from "../tables/schema.js";
import { type CatalogTable, findForeignKeys, findSequences, findTables } from "./dump-catalog.js";
import { DumpError, type DumpRows, type DumpSequences, type DumpTable, damagedDumpError } from "./dump-format.js";
import { lockTables } from "./dump-transaction.js";
import type { OpenDump } from "./read-dump.js";

/** Tables that migrations create with rows, which the rows of the dump replace. */
const SEEDED_TABLES: readonly string[] = ["clock", "settings"];

export interface RestoreResult {
  readonly rows: number;
  /** The migrations newer than the dump's schema, which were applied after loading its rows. */
  readonly migrations: readonly string[];
}

/**
 * Restores a dump into an empty database: creates the dump's schema, loads the rows, and applies newer migrations. The
 * transaction must have `DUMP_SETTINGS`, and must be rolled back if this throws.
 *
 * @throws DumpError if the database is not empty, or the dump is damaged or has another schema; otherwise the database's error.
 */
export async function loadDump(db: Transaction<Schema>, { header, parts }: OpenDump): Promise<RestoreResult> {
  const tables = await prepareTables(db, header.schema);
  // The order of the tables does not satisfy the foreign keys. Adding them afterwards also checks all rows at once, which is faster.
  const foreignKeys = await findForeignKeys(db);
  for (const { table, name } of foreignKeys) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(db);
  }
  const rows = await loadParts(db, tables, parts);
  for (const { table, name, definition } of foreignKeys) {
    await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(db);
  }
  const migrations = await migrateWithin(db);
  await pauseWebhookEndpoints(db, "it was restored from a dump");
  return { rows, migrations };
}

/** Migrates to the dump's schema, requires empty tables, and locks them against other writers. */
async function prepareTables(db: Transaction<Schema>, schema: string): Promise<ReadonlyMap<string, CatalogTable>> {
  await lockMigrations(db);
  const current = (await findAppliedMigrations(db)).at(-1);
  if (current !== undefined && !canMigrate(current, schema)) {
    throw new DumpError(
      `The database has the schema ${current}, but the dump has ${schema}: restore into a new database without tables.`,
    );
  }
  await migrateWithin(db, schema);
  const tables = await findTables(db);
  await lockTables(db, tables, "exclusive");
  for (const { name } of tables) await requireEmpty(db, name);
  return new Map(tables.map((table) => [table.name, table]));
}

/** Whether migrations lead from the schema `current` to `schema`. */
function canMigrate(current: string, schema: string): boolean {
  return MIGRATION_NAMES.includes(current) && MIGRATION_NAMES.indexOf(current) <= MIGRATION_NAMES.indexOf(schema);
}

async function requireEmpty(db: Transaction<Schema>, table: string): Promise<void> {
  if (SEEDED_TABLES.includes(table)) return void (await sql`delete from ${sql.table(table)}`.execute(db));
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db);
  if (rows.length === 0) return;
  throw new DumpError(`The database is not empty: the table ${table} has rows. Restore into an empty database.`);
}

async function loadParts(
  db: Transaction<Schema>,
  tables: ReadonlyMap<string, CatalogTable>,
  parts: OpenDump["parts"],
): Promise<number> {
  const missing = new Set(tables.keys());
  let rows = 0;
  let insert: InsertRows | undefined;
  try {
    for (let next = await parts.next(); !next.done; next = await parts.next()) {
      const part = next.value;
      if ("rows" in part) {
        await insert?.(part);
        rows += part.count;
      } else if ("table" in part) {
        missing.delete(part.table);
        insert = insertInto(db, part, tables.get(part.table));
      } else await advanceSequences(db, part);
    }
  } catch (error) {
    // A damaged dump can cause database errors: read on to report the damage instead.
    while (!(await parts.next()).done);
    throw error;
  }
  for (const table of missing) throw damagedDumpError(`the table ${table} is missing`);
  return rows;
}

type InsertRows = (rows: DumpRows) => Promise<void>;

/** Prepares the insert of a table's rows. Values are cast from text to the column types of the database. */
function insertInto(db: Transaction<Schema>, part: DumpTable, table: CatalogTable | undefined): InsertRows {
  const types = new Map(table?.columns.map(({ name, type }) => [name, type]));
  if (table === undefined || String([...types.keys()].sort()) !== String([...part.columns].sort())) {
    throw new DumpError(
      `The dump's table ${part.table} does not match its schema and cannot be restored: make the dump again.`,
    );
  }
  const columns = sql.join(part.columns.map((name) => sql.ref(name)));
  const values = part.columns.map(
    (name, index) => sql`(line ->> ${sql.lit(index)})::${sql.raw(types.get(name) ?? "")}`,
  );
  return async ({ rows }) => {
    await sql`
      insert into ${sql.table(table.name)} (${columns}) overriding system value
      select ${sql.join(values)} from jsonb_array_elements(${rows}::text::jsonb) as line`.execute(db);
  };
}

/** Advances sequences to the dump's values, and beyond the values of existing rows. */
async function advanceSequences(db: Transaction<Schema>, { sequences }: DumpSequences): Promise<void> {
  for (const { name, table, column } of await findSequences(db)) {
    const next = sequences[name];
    if (next === undefined) throw damagedDumpError(`the sequence ${name} is missing`);
    const afterRows = sql`(select max(${sql.ref(column)}) + 1 from ${sql.table(table)})`;
    await sql`
      select setval(${name}::text::regclass, greatest(${next}::text::bigint, ${afterRows}), false)`.execute(db);
  }
}
