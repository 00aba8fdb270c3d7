import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../config/config-error.js";
import { denyOtherUsers } from "../../files/private-folder.js";
import { type ProcessLock, tryLockFile } from "../../files/process-lock.js";

const LOCK_FILE = "server.lock";
const HOLDER_FILE = "server.pid";

/** How long to retry while another process holds the lock of the data directory. */
const RETRY_MS = 500;

/** The names of the files that locking creates in a data directory. Earlier releases left the journal file. */
export const LOCK_FILE_NAMES: readonly string[] = [LOCK_FILE, `${LOCK_FILE}-journal`, HOLDER_FILE];

/**
 * Locks a data directory for this process, because two processes that open the same database would corrupt its files. PGlite has no lock.
 *
 * The lock file is outside of PostgreSQL's folder: during recovery, PostgreSQL opens all files in that folder, which would release the lock.
 *
 * @throws ConfigError if another process has locked the directory.
 */
export function lockDataDirectory(directory: string): ProcessLock {
  const holderFile = join(directory, HOLDER_FILE);
  const lock = tryLockFile(join(directory, LOCK_FILE), RETRY_MS);
  if (lock === undefined) {
    throw new ConfigError(
      `DATA_DIR ${directory} is in use by another server${holderOf(holderFile)}: stop that server, or set another DATA_DIR`,
    );
  }
  writeFileSync(holderFile, String(process.pid));
  denyOtherUsers(holderFile);
  return lock;
}

/** Whether any process has ever locked a directory as a data directory. */
export function hasLockFile(directory: string): boolean {
  return existsSync(join(directory, LOCK_FILE));
}

function holderOf(holderFile: string): string {
  try {
    return ` (process ${readFileSync(holderFile, "utf8")})`;
  } catch {
    // The process with the lock may not have written its id yet. Only the error message needs the id.
    return "";
  }
}
