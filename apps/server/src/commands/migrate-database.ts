import type { Config } from "../config/config.js";
import { withMigratedDatabase } from "../database/with-migrated-database.js";
import { createLogger } from "../observability/log.js";
import { writeStdout } from "./write-stdout.js";

/** Migrates the schema to the latest version, and prints the applied migrations. */
export async function migrateDatabase({ database, logLevel }: Config, stop: AbortSignal): Promise<void> {
  const applied = await withMigratedDatabase(database, await createLogger(logLevel), stop, async (_, names) => names);
  await writeStdout(applied.length === 0 ? "the schema is up to date\n" : `applied ${applied.join(", ")}\n`);
}
