import { createOrigin } from "../access/change-origin.js";
import { makeApiKey } from "../api/api-keys/api-key-service.js";
import type { Config } from "../config/config.js";
import { findDistribution } from "../database/distribution/find-distribution.js";
import { migrateToLatest } from "../database/migrate.js";
import { createLog } from "../observability/log.js";
import { openDatabase } from "../storage/database.js";

/**
 * Makes a key that may do everything, and writes it to stdout, alone, so that it can be handed on. Whoever can reach the database
 * may do that: how else would the first key be made, or one in place of a lost one.
 */
export async function createAdminKey(config: Pick<Config, "database" | "logLevel">): Promise<void> {
  const log = createLog(config.logLevel);
  const location = await findDistribution(config.database);
  const database = openDatabase(location, (error) => log.warn({ err: error }, "a database connection was lost"));
  try {
    await migrateToLatest(database.kysely);
    const wanted = {
      scopes: ["admin"],
      description: "created by calltrack-server create-admin-key",
      account: undefined,
      expiresAt: undefined,
    } as const;
    const { key } = await makeApiKey(database.db, wanted, createOrigin("create-admin-key", { kind: "operator" }));
    process.stdout.write(`${key}\n`);
  } finally {
    await database.close();
  }
}
