import { existsSync } from "node:fs";
import { cp, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../config/config.js";
import { ConfigError } from "../config/config-error.js";
import { IN_MEMORY_DIRECTORY } from "../config/database-location.js";
import {
  getPostgresFolder,
  hasDatabase,
  prepareDataDirectory,
  resolvePostgresFolder,
  TELEPHONY_FOLDER,
} from "../database/embedded/data-directory.js";
import { LOCK_FILE_NAMES } from "../database/embedded/data-directory-lock.js";
import { openDataDirectory } from "../database/embedded/open-data-directory.js";
import { withDatabase } from "../database/open-database.js";
import { pauseWebhookEndpoints } from "../database/pause-webhook-endpoints.js";
import { fsyncDirectory, fsyncTree } from "../files/fsync-tree.js";
import { createPrivateFolder } from "../files/private-folder.js";
import { createLogger } from "../observability/log.js";
import { SECRETS_KEY_FILE_NAMES } from "../secrets/secrets-key-file-names.js";
import { copySegments } from "../telephony/outage/journal-files.js";
import { writeStdout } from "./write-stdout.js";

/**
 * Copies the files of the embedded database, its key file and the journals of phone calls into a new folder. A server can be started with the copy as its data directory.
 *
 * Locks the database during the copy, so that no server changes it. After a crash, the database is copied unchanged, and the copy recovers. In the
 * copy, webhook endpoints are inactive.
 *
 * @throws ConfigError if no database is found, if the folder exists, or if a server uses the database; UnusableDatabaseError if files of the database
 *   are missing.
 */
export async function backUpDatabase(
  { database, logLevel }: Pick<Config, "database" | "logLevel">,
  name: string | undefined,
  stop: AbortSignal,
): Promise<void> {
  if (database.kind !== "embedded") {
    throw new ConfigError("DATABASE_URL must be unset for backup: back up a PostgreSQL server with its own tools");
  }
  const { directory } = database;
  if (directory === IN_MEMORY_DIRECTORY || !hasDatabase(directory)) {
    throw new ConfigError(`DATA_DIR must be the folder of the database to back up: no database found in ${directory}`);
  }
  if (name === undefined)
    throw new ConfigError("backup needs the name of a new folder: calltrack-server backup FOLDER");
  const folder = resolve(name);
  if (existsSync(folder))
    throw new ConfigError(`backup must create the folder itself: ${folder} already exists, so name another folder`);
  const lock = openDataDirectory(directory, await createLogger(logLevel));
  const unfinished = `${folder}.unfinished`;
  try {
    prepareDataDirectory(directory);
    await rm(unfinished, { recursive: true, force: true });
    createPrivateFolder(unfinished);
    const filter = () => !stop.aborted;
    await cp(resolvePostgresFolder(directory), getPostgresFolder(unfinished), { recursive: true, filter });
    const keyFile = SECRETS_KEY_FILE_NAMES.finished;
    if (existsSync(join(directory, keyFile))) await cp(join(directory, keyFile), join(unfinished, keyFile));
    await copySegments(join(directory, TELEPHONY_FOLDER), join(unfinished, TELEPHONY_FOLDER));
    await withDatabase({ ...database, directory: unfinished }, undefined, ({ kysely }) =>
      pauseWebhookEndpoints(kysely, "the endpoint was restored from a backup"),
    );
    for (const lockFile of LOCK_FILE_NAMES) await rm(join(unfinished, lockFile), { force: true });
    stop.throwIfAborted();
    fsyncTree(unfinished);
    await rename(unfinished, folder);
    fsyncDirectory(dirname(folder));
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  } finally {
    lock.release();
  }
  await writeStdout(`backed up ${directory} to ${folder}\n`);
}
