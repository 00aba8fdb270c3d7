import { createHash } from "node:crypto";
import { sql, type Transaction } from "kysely";
import { readReleaseVersion } from "../../config/release-version.js";
import { TABLE_PLACEMENTS } from "../distribution/table-placement.js";
import { MIGRATION_NAMES } from "../migrate.js";
import { findAppliedMigrations } from "../schema-history.js";
import type { Schema } from "../tables/schema.js";
import { findSchemaSequences, findSchemaTables, type SchemaTable } from "./dump-catalog.js";
import { DUMP_FORMAT_VERSION, DumpError, type DumpHeaderLine, formatDumpLine } from "./dump-format.js";

/** Maximum number of rows that are in memory at the same time. */
const FETCHED_ROWS = 1000;

/**
 * Generates the uncompressed text of a dump in chunks. The transaction must have `DUMP_SESSION_SETTINGS` and a consistent snapshot.
 *
 * @param onEnd called at the end with the total number of dumped rows.
 * @throws DumpError if the database lacks Calltrack's tables, is newer than this release, or contains tables of other applications.
 */
export async function* writeDump(db: Transaction<Schema>, onEnd: (rows: number) => void): AsyncGenerator<string> {
  const hash = createHash("sha256");
  const hashed = (text: string) => {
    hash.update(text);
    return text;
  };
  const rows: Record<string, number> = {};
  const tables = await requireTables(db);
  yield formatDumpLine(await createHeader(db));
  for (const table of tables) {
    yield hashed(formatDumpLine({ table: table.name, columns: table.columns.map(({ name }) => name) }));
    rows[table.name] = 0;
    for await (const lines of readRows(db, table)) {
      rows[table.name] = (rows[table.name] ?? 0) + lines.length;
      yield hashed(`${lines.join("\n")}\n`);
    }
  }
  yield hashed(formatDumpLine({ sequences: await readSequences(db) }));
  yield formatDumpLine({ end: { rows, sha256: hash.digest("hex") } });
  onEnd(Object.values(rows).reduce((sum, count) => sum + count, 0));
}

async function createHeader(db: Transaction<Schema>): Promise<DumpHeaderLine> {
  const applied = await findAppliedMigrations(db);
  const schema = applied.at(-1);
  if (schema === undefined)
    throw new DumpError("The database does not contain Calltrack's tables: there is nothing to dump.");
  const unknown = applied.find((name) => !MIGRATION_NAMES.includes(name));
  if (unknown !== undefined) {
    throw new DumpError(
      `The database has the migration ${unknown}, which this release does not know: make the dump with the release that ` +
        "serves the database.",
    );
  }
  return {
    calltrack_dump: DUMP_FORMAT_VERSION,
    schema,
    release: readReleaseVersion(),
    created_at: new Date().toISOString(),
  };
}

async function requireTables(db: Transaction<Schema>): Promise<readonly SchemaTable[]> {
  const tables = await findSchemaTables(db);
  const unknown = tables.find(({ name }) => !Object.hasOwn(TABLE_PLACEMENTS, name));
  if (unknown === undefined) return tables;
  throw new DumpError(
    `The table ${unknown.name} does not belong to Calltrack, and a dump cannot contain it: move the table to another schema or database.`,
  );
}

/** Reads the rows of a table in batches. Each row is a line of JSON. */
async function* readRows(db: Transaction<Schema>, { name, columns, key }: SchemaTable): AsyncGenerator<string[]> {
  const values = sql.join(columns.map((column) => sql`${sql.ref(column.name)}::text`));
  const order = key.length === 0 ? sql`` : sql`order by ${sql.join(key.map((column) => sql.ref(column)))}`;
  await sql`
    declare dumped_rows no scroll cursor for
    select json_build_array(${values})::text as line from ${sql.table(name)} ${order}`.execute(db);
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(FETCHED_ROWS)} from dumped_rows`.execute(db);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => line);
  }
  await sql`close dumped_rows`.execute(db);
}

/**
 * Reads the next value of each sequence. Call this function after all rows are read: sequences ignore the snapshot, and every next value must be
 * greater than the values in the dumped rows.
 */
async function readSequences(db: Transaction<Schema>): Promise<Record<string, string>> {
  const sequences: Record<string, string> = {};
  for (const { name } of await findSchemaSequences(db)) {
    const { rows } = await sql<{ next: string }>`
      select (last_value + is_called::integer)::text as next from ${sql.table(name)}`.execute(db);
    sequences[name] = (rows[0] as { next: string }).next;
  }
  return sequences;
}
