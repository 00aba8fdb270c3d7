import type { Config } from "../config/config.js";
import { migrateToLatest } from "../database/migrate.js";
import { withDatabase } from "../database/open-database.js";
import { createLog } from "../observability/log.js";
import { writeStdout } from "./write-stdout.js";

/** Migrates the schema to the latest version, and prints the applied migrations. */
export async function migrateDatabase(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const onBlocked = (reason: string) => log.warn({ reason }, "the schema cannot be migrated yet: retrying");
  const applied = await withDatabase(config.database, log, ({ kysely }) => migrateToLatest(kysely, { onBlocked }));
  await writeStdout(applied.length === 0 ? "the schema is up to date\n" : `applied ${applied.join(", ")}\n`);
}
