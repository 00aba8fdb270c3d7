import { createChangeOrigin } from "../access/change-origin.js";
import { issueApiKey } from "../api/api-keys/api-key-service.js";
import type { Config } from "../config/config.js";
import { findDistribution } from "../database/find-distribution.js";
import { migrateToLatest } from "../database/migrate.js";
import { withDatabase } from "../database/open-database.js";
import { createLog } from "../observability/log.js";
import { writeStdout } from "./write-stdout.js";

/**
 * Creates an API key with all permissions and writes only the key to stdout, for use in scripts. Needs access to the
 * database, not an existing key. It therefore creates the first key and replaces a lost one.
 */
export async function createAdminKey(config: Pick<Config, "database" | "logLevel">): Promise<void> {
  const wanted = {
    scopes: ["admin"],
    description: "created by calltrack-server create-admin-key",
    account: undefined,
    expiresAt: undefined,
  } as const;
  const location = await findDistribution(config.database);
  const { key } = await withDatabase(location, createLog(config.logLevel), async ({ db, kysely }) => {
    await migrateToLatest(kysely);
    return issueApiKey(db, wanted, createChangeOrigin("create-admin-key", { kind: "operator" }));
  });
  await writeStdout(`${key}\n`);
}
