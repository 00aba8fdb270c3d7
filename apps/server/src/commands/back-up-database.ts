import { existsSync } from "node:fs";
import { cp, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Config } from "../config/config.js";
import { ConfigError } from "../config/config-error.js";
import { inspectDataDirectory } from "../database/embedded/data-directory.js";
import { LOCK_FILES, lockDataDirectory } from "../database/embedded/data-directory-lock.js";
import { IN_MEMORY } from "../database/embedded/embedded-engine.js";
import { syncDirectory, syncTree } from "../database/embedded/sync-tree.js";

/**
 * Copies the files of the embedded database into a new folder, which is a data directory itself: a server started on it has what
 * was there. The database is locked meanwhile, so that no server changes it; one that has crashed is copied as it is, and
 * recovers in the copy as it would have here.
 *
 * @throws ConfigError if there is nothing to copy, or the folder is there already; UnusableDatabaseError while a server runs.
 */
export async function backUpDatabase(
  { database }: Pick<Config, "database">,
  folder: string | undefined,
): Promise<void> {
  if (database.kind !== "embedded") {
    throw new ConfigError("DATABASE_URL must be unset for backup: back up a PostgreSQL server with its own tools");
  }
  const { directory } = database;
  if (directory === IN_MEMORY || !hasDatabase(directory)) {
    throw new ConfigError(`DATA_DIR must be the folder of a database for backup: no database found in ${directory}`);
  }
  if (folder === undefined)
    throw new ConfigError("backup needs the name of a new folder: calltrack-server backup FOLDER");
  if (existsSync(folder))
    throw new ConfigError(`backup must create its folder: ${folder} already exists, name another`);
  const lock = lockDataDirectory(directory);
  const unfinished = `${folder}.unfinished`;
  try {
    await rm(unfinished, { recursive: true, force: true });
    await cp(directory, unfinished, { recursive: true, filter: (file) => !LOCK_FILES.includes(basename(file)) });
    syncTree(unfinished);
    await rename(unfinished, folder);
    syncDirectory(dirname(folder));
  } finally {
    lock.release();
  }
  process.stdout.write(`backed up ${directory} to ${folder}\n`);
}

/** @throws UnusableDatabaseError if the folder has only a part of a database. */
function hasDatabase(directory: string): boolean {
  return existsSync(join(directory, "PG_VERSION")) && inspectDataDirectory(directory) === "database";
}
