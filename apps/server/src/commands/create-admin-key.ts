import { createChangeOrigin } from "../access/change-origin.js";
import { issueApiKey } from "../api/api-keys/api-key-service.js";
import type { Config } from "../config/config.js";
import { detectCitusDistribution } from "../database/detect-citus-distribution.js";
import { withMigratedDatabase } from "../database/with-migrated-database.js";
import { createLogger } from "../observability/log.js";
import { writeStdout } from "./write-stdout.js";

/**
 * Creates an API key with the scope `admin` and writes only the key to stdout, for use in scripts. Needs access to the
 * database but no existing key, so it can create the first key and replace a lost one.
 */
export async function createAdminKey(config: Pick<Config, "database" | "logLevel">, stop: AbortSignal): Promise<void> {
  const wanted = {
    scopes: ["admin"],
    description: "created by calltrack-server create-admin-key",
    account: undefined,
    expiresAt: undefined,
  } as const;
  const location = await detectCitusDistribution(config.database);
  const { key } = await withMigratedDatabase(location, await createLogger(config.logLevel), stop, ({ db }) =>
    issueApiKey(db, wanted, createChangeOrigin("create-admin-key", { kind: "operator" })),
  );
  await writeStdout(`${key}\n`);
}
