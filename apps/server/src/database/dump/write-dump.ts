import { createHash } from "node:crypto";
import { sql, type Transaction } from "kysely";
import { readRelease } from "../../config/release.js";
import { PLACEMENTS } from "../distribution/placement.js";
import { MIGRATION_NAMES } from "../migrate.js";
import { findAppliedMigrations } from "../schema-history.js";
import type { Schema } from "../tables/schema.js";
import { type CatalogTable, findSequences, findTables } from "./dump-catalog.js";
import { DumpError, type DumpHeader, FORMAT_VERSION, formatLine } from "./dump-format.js";

/** Maximum number of rows in memory. */
const FETCHED_ROWS = 1000;

/**
 * Generates the text of a dump in chunks. The transaction must have `DUMP_SETTINGS` and a consistent snapshot.
 *
 * @param onEnd called with the number of dumped rows.
 * @throws DumpError if the database has no schema, or one that does not match this release.
 */
export async function* writeDump(db: Transaction<Schema>, onEnd: (rows: number) => void): AsyncGenerator<string> {
  const hash = createHash("sha256");
  const hashed = (text: string) => {
    hash.update(text);
    return text;
  };
  const rows: Record<string, number> = {};
  const tables = await requireTables(db);
  yield formatLine(await createHeader(db));
  for (const table of tables) {
    yield hashed(formatLine({ table: table.name, columns: table.columns.map(({ name }) => name) }));
    rows[table.name] = 0;
    for await (const lines of readRows(db, table)) {
      rows[table.name] = (rows[table.name] ?? 0) + lines.length;
      yield hashed(`${lines.join("\n")}\n`);
    }
  }
  yield hashed(formatLine({ sequences: await readSequences(db) }));
  yield formatLine({ end: { rows, sha256: hash.digest("hex") } });
  onEnd(Object.values(rows).reduce((sum, count) => sum + count, 0));
}

async function createHeader(db: Transaction<Schema>): Promise<DumpHeader> {
  const applied = await findAppliedMigrations(db);
  const schema = applied.at(-1);
  if (schema === undefined)
    throw new DumpError("The database does not contain Calltrack's tables: there is nothing to dump.");
  const unknown = applied.find((name) => !MIGRATION_NAMES.includes(name));
  if (unknown !== undefined) {
    throw new DumpError(
      `The database is newer than this release, which does not have its migration ${unknown}: make the dump with the release that ` +
        "serves the database.",
    );
  }
  return {
    calltrack_dump: FORMAT_VERSION,
    schema,
    release: readRelease(),
    created_at: new Date().toISOString(),
  };
}

async function requireTables(db: Transaction<Schema>): Promise<readonly CatalogTable[]> {
  const tables = await findTables(db);
  const unknown = tables.find(({ name }) => !Object.hasOwn(PLACEMENTS, name));
  if (unknown === undefined) return tables;
  throw new DumpError(
    `The table ${unknown.name} does not belong to Calltrack and cannot be restored: move it to another schema or database.`,
  );
}

/** Reads a table in batches, each row as a line of JSON. */
async function* readRows(db: Transaction<Schema>, { name, columns, key }: CatalogTable): AsyncGenerator<string[]> {
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

/** Reads the next values of sequences. Call it after the rows were read: sequences are not transactional, and no row may already use a next value. */
async function readSequences(db: Transaction<Schema>): Promise<Record<string, string>> {
  const sequences: Record<string, string> = {};
  for (const { name } of await findSequences(db)) {
    const { rows } = await sql<{ next: string }>`
      select (last_value + is_called::integer)::text as next from ${sql.table(name)}`.execute(db);
    sequences[name] = (rows[0] as { next: string }).next;
  }
  return sequences;
}
