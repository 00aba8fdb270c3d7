import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../config/config-error.js";
import { denyOthers } from "../../files/private-folder.js";
import { type ProcessLock, tryLock } from "../../files/process-lock.js";

const LOCK_FILE = "server.lock";
const HOLDER_FILE = "server.pid";

/** Time to retry a lock that is held. */
const RETRY_MS = 500;

/** The files of the lock, which do not belong to the database. Earlier releases left a journal. */
export const LOCK_FILES: readonly string[] = [LOCK_FILE, `${LOCK_FILE}-journal`, HOLDER_FILE];

/**
 * Locks a data directory for this process. PGlite does not prevent two processes from opening the same files, which
 * would corrupt them.
 *
 * The lock file is not in the folder of PostgreSQL, which opens all of its files when it recovers: that would release the
 * lock.
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

/** Whether a directory was locked before. */
export function hasLockFile(directory: string): boolean {
  return existsSync(join(directory, LOCK_FILE));
}

function holderOf(holderFile: string): string {
  try {
    return ` (process ${readFileSync(holderFile, "utf8")})`;
  } catch {
    // The id is only for the message; the holder may not have written it yet.
    return "";
  }
}
