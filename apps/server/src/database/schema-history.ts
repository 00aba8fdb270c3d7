import { type Kysely, sql } from "kysely";
import { UnusableDatabaseError } from "../errors/unusable-database-error.js";
import { TABLE_PLACEMENTS } from "./distribution/table-placement.js";
import type { Schema } from "./tables/schema.js";

/** The name of the table that records applied migrations. The first releases used Kysely's migrator, which chose this name. */
const TABLE = "kysely_migration";

/** Matches the names of migrations, even of migrations from later releases. */
const LATER_NAME = /^\d{4}-[a-z]/;

/**
 * @param known the names of all migrations of this release, oldest first.
 * @throws UnusableDatabaseError if a newer release has migrated the database, or if the database belongs to another application: its applied
 *   migrations are not the first in `known`, or it has Calltrack's tables without applied migrations.
 */
export async function countAppliedMigrations(db: Kysely<Schema>, known: readonly string[]): Promise<number> {
  const applied = await findAppliedMigrations(db);
  if (applied.length === 0) await requireNoTables(db);
  const last = known.at(-1) ?? "";
  const unknown = applied.filter((name) => !known.includes(name));
  const missing = known.slice(0, applied.length).find((name) => !applied.includes(name));
  if (missing === undefined && unknown.length > 0 && unknown.every((name) => LATER_NAME.test(name) && name > last)) {
    throw new UnusableDatabaseError(
      `the database was migrated by a newer release: it has ${listed(unknown)}, and this release knows migrations up to ` +
        `${last}: start the newer release, or restore a backup from before these migrations`,
    );
  }
  if (unknown.length > 0) throw foreignSchemaError(`its table ${TABLE} has ${listed(unknown)}`);
  if (missing !== undefined) throw foreignSchemaError(`its table ${TABLE} lacks ${missing}`);
  return applied.length;
}

export async function recordMigration(db: Kysely<Schema>, name: string): Promise<void> {
  if (!(await hasHistory(db))) {
    await sql`create table ${sql.table(TABLE)} (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
      db,
    );
  }
  await sql`insert into ${sql.table(TABLE)} values (${name}, ${new Date().toISOString()})`.execute(db);
}

/** Returns the names of the applied migrations, oldest first; empty if the database has no schema yet. */
export async function findAppliedMigrations(db: Kysely<Schema>): Promise<string[]> {
  if (!(await hasHistory(db))) return [];
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.table(TABLE)} order by name collate "C"`.execute(db);
  return rows.map(nameOf);
}

/** Whether the table of applied migrations exists. `create table if not exists` would need the CREATE privilege even if the table exists. */
async function hasHistory(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass(${sql.lit(TABLE)}) is not null as exists`.execute(db);
  return rows[0]?.exists === true;
}

async function requireNoTables(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${Object.keys(TABLE_PLACEMENTS).sort()}::text[]) as name
    where to_regclass(quote_ident(name)) is not null`.execute(db);
  if (rows.length === 0) return;
  throw foreignSchemaError(`it already has the table${rows.length === 1 ? "" : "s"} ${listed(rows.map(nameOf))}`);
}

const nameOf = ({ name }: { readonly name: string }) => name;

function foreignSchemaError(sign: string): UnusableDatabaseError {
  return new UnusableDatabaseError(
    `the database was not created by Calltrack, or was changed by hand: ${sign}: set DATABASE_URL or DATA_DIR to a database that ` +
      "only Calltrack uses",
  );
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
