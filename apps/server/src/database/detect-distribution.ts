import { sql } from "kysely";
import type { DatabaseLocation } from "../config/database-location.js";
import { withDatabase } from "./open-database.js";

/**
 * Connects to a database, and returns its location with `isDistributed` set if `distribute` has distributed it over a Citus cluster.
 *
 * @throws the database's error if it cannot be reached.
 */
export async function detectDistribution(location: DatabaseLocation): Promise<DatabaseLocation> {
  if (location.kind === "embedded") return location;
  const isDistributed = await withDatabase(location, undefined, async ({ kysely }) => {
    const { rows: citus } = await sql`select from pg_extension where extname = 'citus'`.execute(kysely);
    if (citus.length === 0) return false;
    const { rows: tables } = await sql`
      select from pg_dist_partition where logicalrelid = to_regclass('pools')`.execute(kysely);
    return tables.length > 0;
  });
  return isDistributed ? { ...location, isDistributed } : location;
}
