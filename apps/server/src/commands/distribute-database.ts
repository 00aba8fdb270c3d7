import type { Config } from "../config/config.js";
import { ConfigError } from "../config/config-error.js";
import { distribute } from "../database/distribution/distribute.js";
import { migrateToLatest } from "../database/migrate.js";
import { openDatabase } from "../database/open-database.js";
import { createLog } from "../observability/log.js";

/** Brings the schema up to date, distributes the tables over the servers of a cluster, and says on stdout what that took. */
export async function distributeDatabase(config: Config): Promise<void> {
  if (config.database.kind === "embedded") throw new ConfigError("DATABASE_URL must name the coordinator of a cluster");
  const log = createLog(config.logLevel);
  const database = openDatabase(config.database, (error) => log.warn({ err: error }, "a database connection was lost"));
  try {
    await migrateToLatest(database.kysely);
    const placed = await distribute(database.kysely);
    process.stdout.write(placed.length === 0 ? "the database is distributed\n" : `distributed ${placed.join(", ")}\n`);
  } finally {
    await database.close();
  }
}
