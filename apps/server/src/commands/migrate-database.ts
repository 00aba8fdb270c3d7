import type { Config } from "../config/config.js";
import { migrateToLatest } from "../database/migrate.js";
import { createLog } from "../observability/log.js";
import { openDatabase } from "../storage/database.js";

/** Brings the schema up to date, and says on stdout what that took. */
export async function migrateDatabase(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const database = openDatabase(config.database, (error) => log.warn({ err: error }, "a database connection was lost"));
  try {
    const onBlocked = (reason: string) => log.warn({ reason }, "the schema cannot be migrated yet: retrying");
    const applied = await migrateToLatest(database.kysely, { onBlocked });
    process.stdout.write(applied.length === 0 ? "the schema is up to date\n" : `applied ${applied.join(", ")}\n`);
  } finally {
    await database.close();
  }
}
