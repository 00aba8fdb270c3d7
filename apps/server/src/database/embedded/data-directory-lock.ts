import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../config/config-error.js";
import { denyOthers } from "../../files/private-folder.js";
import { type ProcessLock, tryLock } from "../../files/process-lock.js";

const LOCK_FILE = "server.lock";
const HOLDER_FILE = "server.pid";

/** How long to retry while another process holds the lock. */
const RETRY_MS = 500;

/** The files of the lock. Earlier releases left the journal. */
export const LOCK_FILES: readonly string[] = [LOCK_FILE, `${LOCK_FILE}-journal`, HOLDER_FILE];

/**
 * Locks a data directory for this process. PGlite does not prevent two processes from opening the same files, which would corrupt them.
 *
 * The lock file is outside of PostgreSQL's folder: during recovery, PostgreSQL opens all files in that folder, which would release the lock.
 *
 * @throws ConfigError if another process holds the lock.
 */
export function lockDataDirectory(directory: string): ProcessLock {
  const holderFile = join(directory, HOLDER_FILE);
  const lock = tryLock(join(directory, LOCK_FILE), RETRY_MS);
  if (lock === undefined) {
    throw new ConfigError(
      `DATA_DIR ${directory} is in use by another server${holderOf(holderFile)}: stop it, or set another DATA_DIR`,
    );
  }
  writeFileSync(holderFile, String(process.pid));
  denyOthers(holderFile);
  return lock;
}

/** Whether a directory has ever been locked. */
export function hasLockFile(directory: string): boolean {
  return existsSync(join(directory, LOCK_FILE));
}

function holderOf(holderFile: string): string {
  try {
    return ` (process ${readFileSync(holderFile, "utf8")})`;
  } catch {
    // The holder may not have written its id yet, which only the message needs.
    return "";
  }
}
