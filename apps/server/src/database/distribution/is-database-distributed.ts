import { type Kysely, sql } from "kysely";

/** Whether the tables of a database are distributed over a Citus cluster. Migrations use this function to run other statements on a cluster. */
export async function isDatabaseDistributed(db: Kysely<never>): Promise<boolean> {
  const { rows: catalog } = await sql`select where to_regclass('pg_dist_partition') is not null`.execute(db);
  if (catalog.length === 0) return false;
  const { rows } = await sql`select from pg_dist_partition where logicalrelid = to_regclass('pools')`.execute(db);
  return rows.length > 0;
}
