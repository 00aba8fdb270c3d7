import { type Kysely, sql } from "kysely";
import { UnusableDatabaseError } from "../../errors/unusable-database-error.js";
import type { Schema } from "../tables/schema.js";

/**
 * The first version of Citus that generates all ids on the coordinator. In earlier versions, workers generate the ids for an
 * `insert … select` from their own sequences, which repeats ids or fails.
 */
const MIN_CITUS_VERSION = { major: 13, minor: 1 };

/**
 * Checks a database that has the extension Citus. Does nothing without Citus.
 *
 * @throws UnusableDatabaseError if the connection leads to a worker, or if the version of Citus is too old for a distributed database.
 */
export async function requireUsableCluster(db: Kysely<Schema>): Promise<void> {
  const version = await findCitusVersion(db);
  if (version === undefined) return;
  const { rows: workers } = await sql<{ coordinator: string | null }>`
    select (select nodename || ':' || nodeport from pg_dist_node where groupid = 0 limit 1) as coordinator
    from pg_dist_local_group where groupid <> 0`.execute(db);
  if (workers[0] !== undefined) {
    const { coordinator } = workers[0];
    throw new UnusableDatabaseError(
      "DATABASE_URL leads to a worker of a Citus cluster, which has only part of the data: set it to the URL of the coordinator" +
        (coordinator === null ? "" : `, ${coordinator}`),
    );
  }
  const { rows: tables } = await sql`
    select from pg_dist_partition where logicalrelid = to_regclass('pools')`.execute(db);
  if (tables.length > 0) requireSupportedCitusVersion(version);
}

/** Returns the version of the extension Citus in a database, such as `13.1-1`. Undefined if the database lacks the extension. */
export async function findCitusVersion(db: Kysely<Schema>): Promise<string | undefined> {
  const { rows } = await sql<{ version: string }>`
    select extversion as version from pg_extension where extname = 'citus'`.execute(db);
  return rows[0]?.version;
}

/** @throws UnusableDatabaseError if `version`, such as `13.1-1`, is too old for a distributed database. */
export function requireSupportedCitusVersion(version: string): void {
  const [major = 0, minor = 0] = version.split(/[.-]/).map(Number);
  const { major: minMajor, minor: minMinor } = MIN_CITUS_VERSION;
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return;
  throw new UnusableDatabaseError(
    `Citus ${major}.${minor} is too old, because it does not generate all ids on the coordinator: update Citus on every node to ` +
      `${minMajor}.${minMinor} or newer`,
  );
}
