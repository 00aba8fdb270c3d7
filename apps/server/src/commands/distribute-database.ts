import type { Config } from "../config/config.js";
import { ConfigError } from "../config/config-error.js";
import { distribute } from "../database/distribution/distribute.js";
import { migrateToLatest } from "../database/migrate.js";
import { withDatabase } from "../database/open-database.js";
import { createLog } from "../observability/log.js";
import { writeStdout } from "./write-stdout.js";

/**
 * Migrates the schema, distributes the tables over the servers of a Citus cluster, and prints the distributed tables.
 */
export async function distributeDatabase(config: Config): Promise<void> {
  if (config.database.kind === "embedded") throw new ConfigError("DATABASE_URL must name the coordinator of a cluster");
  const placed = await withDatabase(config.database, createLog(config.logLevel), async ({ kysely }) => {
    await migrateToLatest(kysely);
    return distribute(kysely);
  });
  await writeStdout(placed.length === 0 ? "the database is distributed\n" : `distributed ${placed.join(", ")}\n`);
}
