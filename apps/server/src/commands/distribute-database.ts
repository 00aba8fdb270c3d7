import type { Config } from "../config/config.js";
import { ConfigError } from "../config/config-error.js";
import { distributeTables } from "../database/distribution/distribute-tables.js";
import { withMigratedDatabase } from "../database/with-migrated-database.js";
import { createLogger } from "../observability/log.js";
import { writeStdout } from "./write-stdout.js";

/** Migrates the schema, distributes the tables over the servers of a Citus cluster, and prints the distributed tables. */
export async function distributeDatabase({ database, logLevel }: Config, stop: AbortSignal): Promise<void> {
  if (database.kind === "embedded") throw new ConfigError("DATABASE_URL must name the coordinator of a Citus cluster");
  const placed = await withMigratedDatabase(database, await createLogger(logLevel), stop, ({ kysely }) =>
    distributeTables(kysely),
  );
  await writeStdout(
    placed.length === 0 ? "the database is already distributed\n" : `distributed ${placed.join(", ")}\n`,
  );
}
