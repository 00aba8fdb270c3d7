import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { UnusableDatabaseError } from "../../errors/unusable-database-error.js";
import { createDirectory } from "./sync-tree.js";

const LOCK_FILE = "server.lock";
const HOLDER_FILE = "server.pid";

/** SQLite's result code for a lock that another process holds. */
const SQLITE_BUSY = 5;

/** The files of the lock, which do not belong to the database. Earlier releases left a journal. */
export const LOCK_FILES: readonly string[] = [LOCK_FILE, `${LOCK_FILE}-journal`, HOLDER_FILE];

/** A held lock of a data directory. */
export interface DataDirectoryLock {
  release(): void;
}

/**
 * Locks a data directory for this process; creates the directory if needed. PGlite does not prevent two processes from
 * opening the same files, which would corrupt them.
 *
 * The lock is an exclusive SQLite transaction on an empty file. The operating system releases it when the process ends,
 * however that happens, so no stale lock remains.
 *
 * @throws UnusableDatabaseError if another process holds the lock.
 */
export function lockDataDirectory(directory: string): DataDirectoryLock {
  createDirectory(directory);
  const holderFile = join(directory, HOLDER_FILE);
  const lock = new DatabaseSync(join(directory, LOCK_FILE), { timeout: 0 });
  try {
    // A journal file would need disk space, and the disk may be full.
    lock.exec("pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive");
  } catch (cause) {
    lock.close();
    if ((cause as { readonly errcode?: unknown }).errcode !== SQLITE_BUSY) throw cause;
    const message = `DATA_DIR ${directory} is in use by another server${holderOf(holderFile)}: stop it, or set another DATA_DIR`;
    throw new UnusableDatabaseError(message, { cause });
  }
  writeFileSync(holderFile, String(process.pid));
  return { release: () => lock.close() };
}

function holderOf(holderFile: string): string {
  try {
    return ` (process ${readFileSync(holderFile, "utf8")})`;
  } catch {
    // The id is only for the message; the holder may not have written it yet.
    return "";
  }
}
