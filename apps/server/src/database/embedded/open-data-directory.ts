import type { Logger } from "pino";
import { ConfigError } from "../../config/config-error.js";
import { createPrivateFolder, restrictFolderAccess } from "../../files/private-folder.js";
import type { ProcessLock } from "../../files/process-lock.js";
import { hasDatabase, inspectDataDirectory, isPostgresFolderLink, resolvePostgresFolder } from "./data-directory.js";
import { hasLockFile, lockDataDirectory } from "./data-directory-lock.js";
import { createDatabaseOpenError } from "./embedded-failure.js";

/**
 * Locks a data directory for this process. Creates the directory if needed, and removes the access of other users to it.
 *
 * @throws ConfigError if another process uses the directory; UnusableDatabaseError if its contents are unusable.
 */
export function openDataDirectory(directory: string, log?: Logger): ProcessLock {
  try {
    requireOwnDirectory(directory);
    createPrivateFolder(directory);
    const lock = lockDataDirectory(directory);
    restrictFolderAccess(directory, log);
    // The permissions of the data directory do not protect files outside of it.
    if (isPostgresFolderLink(directory) && hasDatabase(directory))
      restrictFolderAccess(resolvePostgresFolder(directory), log);
    return lock;
  } catch (error) {
    throw error instanceof ConfigError ? error : createDatabaseOpenError(directory, error, undefined);
  }
}

/** Throws for an unusable directory before locking it, so that unrelated folders get no lock file. */
function requireOwnDirectory(directory: string): void {
  try {
    inspectDataDirectory(directory);
  } catch (error) {
    // If the directory has a lock file, another process may be changing the directory. `prepareDataDirectory` inspects it again after this process
    // has locked it.
    if (!hasLockFile(directory)) throw error;
  }
}
