import { createReadStream } from "node:fs";
import { addAbortSignal } from "node:stream";
import { pluralize } from "@calltrack/domain";
import { visibleText } from "@calltrack/domain/visible-text";
import type { Config } from "../config/config.js";
import { ConfigError } from "../config/config-error.js";
import { runRestoreTransaction } from "../database/dump/dump-transaction.js";
import { loadDump } from "../database/dump/load-dump.js";
import { type OpenDump, openDump } from "../database/dump/read-dump.js";
import { IN_MEMORY } from "../database/embedded/data-directory.js";
import { createLog } from "../observability/log.js";
import { STDIO_FILE } from "./dump-database.js";
import { writeStdout } from "./write-stdout.js";

/**
 * Restores a dump from a file, or from stdin, into an empty database, and migrates it. If this fails or the process is
 * killed, the database stays empty.
 *
 * @throws ConfigError if the file cannot be read or a server uses the embedded database; DumpError if the dump cannot be
 *   restored or the database is not empty.
 */
export async function restoreDatabase(
  { database, logLevel }: Pick<Config, "database" | "logLevel">,
  file: string | undefined,
  stop: AbortSignal,
): Promise<void> {
  if (file === undefined)
    throw new ConfigError("restore needs a dump file: calltrack-server restore FILE, or restore - for stdin");
  if (database.kind === "embedded" && database.directory === IN_MEMORY)
    throw new ConfigError(`DATA_DIR must be a folder for restore: ${IN_MEMORY} does not persist data`);
  const dump = await open(file, stop);
  const { release, schema, created_at } = dump.header;
  const { rows, migrations } = await runRestoreTransaction(database, createLog(logLevel), (db) => loadDump(db, dump));
  const origin = visibleText(`a dump of ${created_at}, made by release ${release} with the schema ${schema}`);
  await writeStdout(`restored ${pluralize(rows, "row")} from ${origin}\n`);
  if (migrations.length > 0) await writeStdout(`applied ${migrations.join(", ")}\n`);
}

/** Opens the dump before the database, so that an unreadable dump leaves the database untouched. */
async function open(file: string, stop: AbortSignal): Promise<OpenDump> {
  if (file === STDIO_FILE) return openDump(addAbortSignal(stop, process.stdin));
  try {
    return await openDump(createReadStream(file, { signal: stop }));
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    throw code !== undefined && syscall !== undefined
      ? new ConfigError(`restore cannot read ${file}: ${message}`)
      : error;
  }
}
