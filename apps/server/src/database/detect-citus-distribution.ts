import { sql } from "kysely";
import type { DatabaseLocation } from "../config/database-location.js";
import { withDatabase } from "./open-database.js";

/**
 * Connects to a database, and returns its location. Sets `isDistributed` if `distributeTables` has distributed the tables over a Citus cluster.
 *
 * @throws the error of the connection if the database cannot be reached.
 */
export async function detectCitusDistribution(location: DatabaseLocation): Promise<DatabaseLocation> {
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
