import { createChangeOrigin } from "../access/change-origin.js";
import { issueApiKey } from "../api/api-keys/api-key-service.js";
import type { Config } from "../config/config.js";
import { findDistribution } from "../database/find-distribution.js";
import { withMigratedDatabase } from "../database/with-migrated-database.js";
import { createLog } from "../observability/log.js";
import { writeStdout } from "./write-stdout.js";

/**
 * Creates an API key with all permissions and writes only the key to stdout, for use in scripts. Needs access to the
 * database, not an existing key. It therefore creates the first key and replaces a lost one.
 */
export async function createAdminKey(config: Pick<Config, "database" | "logLevel">, stop: AbortSignal): Promise<void> {
  const wanted = {
    scopes: ["admin"],
    description: "created by calltrack-server create-admin-key",
    account: undefined,
    expiresAt: undefined,
  } as const;
  const location = await findDistribution(config.database);
  const { key } = await withMigratedDatabase(location, createLog(config.logLevel), stop, ({ db }) =>
    issueApiKey(db, wanted, createChangeOrigin("create-admin-key", { kind: "operator" })),
  );
  await writeStdout(`${key}\n`);
}
