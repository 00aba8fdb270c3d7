import { sql, type Transaction } from "kysely";
import { acquireMigrationLock, MIGRATION_NAMES, migrateWithinTransaction } from "../migrate.js";
import { pauseWebhookEndpoints } from "../pause-webhook-endpoints.js";
import { findAppliedMigrations } from "../schema-history.js";
import type { Schema } from "../tables/schema.js";
import { findSchemaForeignKeys, findSchemaSequences, findSchemaTables, type SchemaTable } from "./dump-catalog.js";
import {
  createDamagedDumpError,
  DumpError,
  type DumpRowBatch,
  type DumpSequencesLine,
  type DumpTableLine,
} from "./dump-format.js";
import { lockTables } from "./dump-transaction.js";
import type { OpenedDump } from "./read-dump.js";

/** The tables that migrations create with rows. The rows of the dump replace these rows. */
const SEEDED_TABLES: readonly string[] = ["clock", "settings"];

export interface RestoreResult {
  readonly rows: number;
  /** The names of the migrations that were applied after loading, because they are newer than the schema of the dump. */
  readonly migrations: readonly string[];
}

/**
 * Restores a dump into an empty database: creates the schema of the dump, loads the rows, and applies newer migrations. The transaction must
 * have `DUMP_SESSION_SETTINGS`. The caller must roll the transaction back if this function throws.
 *
 * @throws DumpError if the database is not empty or has a newer schema, or if the dump is damaged; otherwise the error of a statement.
 */
export async function loadDump(db: Transaction<Schema>, { header, parts }: OpenedDump): Promise<RestoreResult> {
  const tables = await prepareTables(db, header.schema);
  // Drops the foreign keys while loading, because tables may precede the tables that they reference. Checking all rows at the end is faster, too.
  const foreignKeys = await findSchemaForeignKeys(db);
  for (const { table, name } of foreignKeys) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(db);
  }
  const rows = await loadParts(db, tables, parts);
  for (const { table, name, definition } of foreignKeys) {
    await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(db);
  }
  const migrations = await migrateWithinTransaction(db);
  await pauseWebhookEndpoints(db, "the endpoint was restored from a dump");
  return { rows, migrations };
}

/** Migrates to the schema of the dump, locks all tables against other writers, and throws a DumpError unless the tables are empty. */
async function prepareTables(db: Transaction<Schema>, schema: string): Promise<ReadonlyMap<string, SchemaTable>> {
  await acquireMigrationLock(db);
  const current = (await findAppliedMigrations(db)).at(-1);
  if (current !== undefined && !canMigrate(current, schema)) {
    throw new DumpError(
      `The database has the schema ${current}, but the dump has the schema ${schema}: restore into a new database without tables.`,
    );
  }
  await migrateWithinTransaction(db, schema);
  const tables = await findSchemaTables(db);
  await lockTables(db, tables, "exclusive");
  for (const { name } of tables) await requireEmpty(db, name);
  return new Map(tables.map((table) => [table.name, table]));
}

/** Whether migrations can change the schema `current` to the schema `schema`. */
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
  tables: ReadonlyMap<string, SchemaTable>,
  parts: OpenedDump["parts"],
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
    // If the cause is a damaged dump, reading its remaining parts throws an error that reports the damage.
    while (!(await parts.next()).done);
    throw error;
  }
  for (const table of missing) throw createDamagedDumpError(`the table ${table} is missing`);
  return rows;
}

type InsertRows = (rows: DumpRowBatch) => Promise<void>;

/** Creates a function that inserts batches of rows into a table. Casts the values from text to the types of the columns. */
function insertInto(db: Transaction<Schema>, part: DumpTableLine, table: SchemaTable | undefined): InsertRows {
  const types = new Map(table?.columns.map(({ name, type }) => [name, type]));
  if (table === undefined || String([...types.keys()].sort()) !== String([...part.columns].sort())) {
    throw new DumpError(
      `The dump's table ${part.table} does not match the dump's schema, so the dump cannot be restored: make the dump again.`,
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

/** Advances each sequence to its next value in the dump, or further if existing rows already contain that value or a greater one. */
async function advanceSequences(db: Transaction<Schema>, { sequences }: DumpSequencesLine): Promise<void> {
  for (const { name, table, column } of await findSchemaSequences(db)) {
    const next = sequences[name];
    if (next === undefined) throw createDamagedDumpError(`the sequence ${name} is missing`);
    const afterRows = sql`(select max(${sql.ref(column)}) + 1 from ${sql.table(table)})`;
    await sql`
      select setval(${name}::text::regclass, greatest(${next}::text::bigint, ${afterRows}), false)`.execute(db);
  }
}
