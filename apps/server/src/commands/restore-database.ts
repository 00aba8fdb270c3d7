import { createReadStream } from "node:fs";
import { addAbortSignal } from "node:stream";
import { pluralize } from "@calltrack/domain";
import { escapeForTerminal } from "@calltrack/domain/escape-for-terminal";
import type { Executor } from "@calltrack/postgres";
import { decryptPhoneSystemSecrets } from "../api/phone-systems/phone-system-credentials.js";
import { listAllPhoneSystemRows } from "../api/phone-systems/phone-system-repository.js";
import type { PhoneSystemRow } from "../api/phone-systems/phone-system-row.js";
import type { Config } from "../config/config.js";
import { ConfigError } from "../config/config-error.js";
import { IN_MEMORY_DIRECTORY } from "../config/database-location.js";
import { runRestoreTransaction } from "../database/dump/dump-transaction.js";
import { loadDump } from "../database/dump/load-dump.js";
import { type OpenedDump, openDump } from "../database/dump/read-dump.js";
import { withDatabase } from "../database/open-database.js";
import { createLogger } from "../observability/log.js";
import { loadSecretBox } from "../secrets/load-secret-box.js";
import type { SecretBox } from "../secrets/secret-box.js";
import { STDIO_FILE_NAME } from "./command-line.js";
import { writeStdout } from "./write-stdout.js";

/**
 * Restores a dump from a file, or from stdin, into an empty database, and migrates the schema to the latest version. If the restore fails or the
 * process is killed, the database stays empty. Prints the phone systems whose credentials were encrypted with another key.
 *
 * @throws ConfigError if the file cannot be read or a server uses the embedded database; DumpError if the dump cannot be restored or the database is
 *   not empty.
 */
export async function restoreDatabase(
  config: Pick<Config, "database" | "logLevel" | "secretKeys">,
  file: string | undefined,
  stop: AbortSignal,
): Promise<void> {
  const { database, logLevel } = config;
  if (file === undefined)
    throw new ConfigError("restore needs a dump file: calltrack-server restore FILE, or restore - for stdin");
  if (database.kind === "embedded" && database.directory === IN_MEMORY_DIRECTORY)
    throw new ConfigError(`DATA_DIR must be a folder to restore into: ${IN_MEMORY_DIRECTORY} does not persist data`);
  const dump = await open(file, stop);
  const { release, schema, created_at } = dump.header;
  const log = await createLogger(logLevel);
  const { rows, migrations } = await runRestoreTransaction(database, log, (db) => loadDump(db, dump));
  const origin = escapeForTerminal(`a dump of ${created_at}, made by release ${release} with the schema ${schema}`);
  await writeStdout(`restored ${pluralize(rows, "row")} from ${origin}\n`);
  if (migrations.length > 0) await writeStdout(`applied ${migrations.join(", ")}\n`);
  const unreadable = await withDatabase(database, log, ({ db }) => findUnreadableSystems(db, loadSecretBox(config)));
  if (unreadable.length === 0) return;
  const systems = unreadable.map(({ id, name }) => `  ${id} ${escapeForTerminal(name)}\n`).join("");
  await writeStdout(
    "the credentials of these phone systems are encrypted with another SECRETS_KEY: set that key, or enter the credentials again with " +
      `calltrack phone-systems rotate\n${systems}`,
  );
}

/** Lists the phone systems whose credentials the server cannot decrypt. */
async function findUnreadableSystems(db: Executor, secrets: SecretBox | undefined): Promise<PhoneSystemRow[]> {
  const systems = await listAllPhoneSystemRows(db);
  return systems.filter((system) => decryptPhoneSystemSecrets(secrets, system, new Date()).length === 0);
}

/** Opens the dump before the database, so that an unreadable dump leaves the database untouched. */
async function open(file: string, stop: AbortSignal): Promise<OpenedDump> {
  if (file === STDIO_FILE_NAME) return openDump(addAbortSignal(stop, process.stdin));
  try {
    return await openDump(createReadStream(file, { signal: stop }));
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    throw code !== undefined && syscall !== undefined
      ? new ConfigError(`restore cannot read ${file}: ${message}`)
      : error;
  }
}
