import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ConfigError } from "../../config/config-error.js";
import { denyOthers } from "./private-folder.js";

const LOCK_FILE = "server.lock";
const HOLDER_FILE = "server.pid";

/** SQLite's result code for a lock that another process holds. */
const SQLITE_BUSY = 5;

/**
 * Time to retry a lock that is held. Two processes that take the lock at the same moment hinder each other; then SQLite
 * retries until one has it.
 */
const RETRY_MS = 500;

/** The files of the lock, which do not belong to the database. Earlier releases left a journal. */
export const LOCK_FILES: readonly string[] = [LOCK_FILE, `${LOCK_FILE}-journal`, HOLDER_FILE];

/** A held lock of a data directory. */
export interface DataDirectoryLock {
  release(): void;
}

/**
 * Locks a data directory for this process. PGlite does not prevent two processes from opening the same files, which
 * would corrupt them.
 *
 * The lock is an exclusive SQLite transaction on an empty file. The operating system releases it when the process ends,
 * however that happens, so no stale lock remains. It also releases it when this process opens and closes the file once
 * more, because POSIX locks belong to a process and a file. So the file is not in the folder of PostgreSQL, which opens
 * all of its files when it recovers.
 *
 * @throws ConfigError if another process holds the lock.
 */
export function lockDataDirectory(directory: string): DataDirectoryLock {
  const holderFile = join(directory, HOLDER_FILE);
  const lockFile = join(directory, LOCK_FILE);
  const lock = new DatabaseSync(lockFile, { timeout: RETRY_MS });
  try {
    // A journal file would need disk space, and the disk may be full.
    lock.exec("pragma journal_mode = memory; begin exclusive");
  } catch (cause) {
    lock.close();
    if ((cause as { readonly errcode?: unknown }).errcode !== SQLITE_BUSY) throw cause;
    const message = `DATA_DIR ${directory} is in use by another server${holderOf(holderFile)}: stop it, or set another DATA_DIR`;
    throw new ConfigError(message, { cause });
  }
  writeFileSync(holderFile, String(process.pid));
  for (const file of [lockFile, holderFile]) denyOthers(file);
  return { release: () => lock.close() };
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
