import { sql, type Transaction } from "kysely";
import { lockMigrations, MIGRATIONS, migrateWithin } from "../migrate.js";
import { findAppliedMigrations } from "../schema-history.js";
import type { Schema } from "../tables/schema.js";
import {
  type CatalogueReference,
  type CatalogueTable,
  findReferences,
  findSequences,
  findTables,
} from "./dump-catalogue.js";
import { DumpError, type DumpRows, type DumpSequences, type DumpTable, damaged } from "./dump-format.js";
import { lockTables } from "./dump-transaction.js";
import type { OpenDump } from "./read-dump.js";

/** Tables that have rows from the start, which those of the dump replace. */
const SEEDED_TABLES: readonly string[] = ["clock"];

/** What a restore has done. */
export interface LoadedDump {
  readonly rows: number;
  /** The migrations that the dump did not have, which were applied to its rows. */
  readonly migrations: readonly string[];
}

/**
 * Restores a dump into an empty database: makes the schema that it was made of, loads the rows, and applies the newer migrations.
 * The transaction has `DUMP_SETTINGS`, and must be rolled back if this throws.
 *
 * @throws DumpError if the database is not empty, or the dump is damaged or of another schema; else the database's error.
 */
export async function loadDump(db: Transaction<Schema>, { header, parts }: OpenDump): Promise<LoadedDump> {
  const tables = await prepareTables(db, header.schema);
  // Rows come table by table, in no order that satisfies the foreign keys; checking them at once is faster too.
  const references = await findReferences(db);
  for (const { table, name } of references) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(db);
  }
  const rows = await loadParts(db, tables, parts);
  for (const reference of references) await addReference(db, reference);
  return { rows, migrations: await migrateWithin(db) };
}

/** Makes the tables of a schema, or finds them, empty, and keeps others from writing to them. */
async function prepareTables(db: Transaction<Schema>, schema: string): Promise<ReadonlyMap<string, CatalogueTable>> {
  await lockMigrations(db);
  const current = (await findAppliedMigrations(db)).at(-1);
  if (current !== undefined && !isReachable(current, schema)) {
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

/** Whether migrations lead from one schema to another. */
function isReachable(current: string, schema: string): boolean {
  return MIGRATIONS.includes(current) && MIGRATIONS.indexOf(current) <= MIGRATIONS.indexOf(schema);
}

async function requireEmpty(db: Transaction<Schema>, table: string): Promise<void> {
  if (SEEDED_TABLES.includes(table)) return void (await sql`delete from ${sql.table(table)}`.execute(db));
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db);
  if (rows.length === 0) return;
  throw new DumpError(`The database is not empty: the table ${table} has rows. Restore into an empty database.`);
}

async function addReference(db: Transaction<Schema>, { table, name, definition }: CatalogueReference): Promise<void> {
  await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(db);
}

async function loadParts(
  db: Transaction<Schema>,
  tables: ReadonlyMap<string, CatalogueTable>,
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
      } else await moveSequences(db, part);
    }
  } catch (error) {
    // If the dump is damaged, then that is the reason, and not what the database says of its rows.
    while (!(await parts.next()).done);
    throw error;
  }
  for (const table of missing) throw damaged(`the table ${table} is missing`);
  return rows;
}

type InsertRows = (rows: DumpRows) => Promise<void>;

/** Makes the statement that inserts rows of a table. The types are the database's own, which read what it has written as text. */
function insertInto(db: Transaction<Schema>, part: DumpTable, table: CatalogueTable | undefined): InsertRows {
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

/** Lets sequences go on after the dump's, and in any case after the values that rows have. */
async function moveSequences(db: Transaction<Schema>, { sequences }: DumpSequences): Promise<void> {
  for (const { name, table, column } of await findSequences(db)) {
    const next = sequences[name];
    if (next === undefined) throw damaged(`the sequence ${name} is missing`);
    const afterRows = sql`(select max(${sql.ref(column)}) + 1 from ${sql.table(table)})`;
    await sql`
      select setval(${name}::text::regclass, greatest(${next}::text::bigint, ${afterRows}), false)`.execute(db);
  }
}
