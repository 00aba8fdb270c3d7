import { createChangeOrigin } from "../access/change-origin.js";
import { issueApiKey } from "../api/api-keys/api-key-service.js";
import type { Config } from "../config/config.js";
import { findDistribution } from "../database/find-distribution.js";
import { migrateToLatest } from "../database/migrate.js";
import { useDatabase } from "../database/open-database.js";
import { createLog } from "../observability/log.js";

/**
 * Makes a key that may do everything, and writes it to stdout, alone, so that it can be handed on. Whoever can reach the database
 * may do that: how else would the first key be made, or one in place of a lost one.
 */
export async function createAdminKey(config: Pick<Config, "database" | "logLevel">): Promise<void> {
  const wanted = {
    scopes: ["admin"],
    description: "created by calltrack-server create-admin-key",
    account: undefined,
    expiresAt: undefined,
  } as const;
  const location = await findDistribution(config.database);
  const { key } = await useDatabase(location, createLog(config.logLevel), async ({ db, kysely }) => {
    await migrateToLatest(kysely);
    return issueApiKey(db, wanted, createChangeOrigin("create-admin-key", { kind: "operator" }));
  });
  process.stdout.write(`${key}\n`);
}
