import type { Logger } from "pino";
import { ConfigError } from "../../config/config-error.js";
import { createPrivateFolder, restrictFolder } from "../../files/private-folder.js";
import type { ProcessLock } from "../../files/process-lock.js";
import { inspectDataDirectory } from "./data-directory.js";
import { hasLockFile, lockDataDirectory } from "./data-directory-lock.js";
import { createOpenError } from "./embedded-failure.js";

/**
 * Locks a data directory for this process. Creates it if needed, and removes the access of other users.
 *
 * @throws ConfigError if another process uses it; UnusableDatabaseError if its contents are unusable.
 */
export function openDataDirectory(directory: string, log?: Logger): ProcessLock {
  try {
    requireOwnDirectory(directory);
    createPrivateFolder(directory);
    const lock = lockDataDirectory(directory);
    restrictFolder(directory, log);
    return lock;
  } catch (error) {
    throw error instanceof ConfigError ? error : createOpenError(directory, error, undefined);
  }
}

/** Rejects an unusable directory before it is locked, so that no lock file is left in an unrelated folder. */
function requireOwnDirectory(directory: string): void {
  try {
    inspectDataDirectory(directory);
  } catch (error) {
    // Another process may be changing the directory. `prepareDataDirectory` inspects it again.
    if (!hasLockFile(directory)) throw error;
  }
}
