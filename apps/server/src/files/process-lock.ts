import { DatabaseSync } from "node:sqlite";
import { denyOtherUsers } from "./private-folder.js";

/** SQLite's result code for a lock that another process holds. */
const SQLITE_BUSY = 5;

export interface ProcessLock {
  release(): void;
}

/**
 * Locks a file, which it creates if needed, for this process. Returns undefined if the file is already locked.
 *
 * The lock is an exclusive SQLite transaction on an empty file. The operating system releases it when the process ends,
 * however that happens, so no stale lock remains. It also releases the lock when this process opens and closes the file
 * again, because POSIX locks belong to a process and a file.
 *
 * @param retryMs how long to retry if the file is locked. Two processes that lock it at the same moment block each other;
 *   SQLite then retries until one succeeds.
 */
export function tryLockFile(file: string, retryMs: number): ProcessLock | undefined {
  const lock = new DatabaseSync(file, { timeout: retryMs });
  try {
    // A journal file would need disk space, and the disk may be full.
    lock.exec("pragma journal_mode = memory; begin exclusive");
  } catch (error) {
    lock.close();
    if ((error as { readonly errcode?: unknown }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  denyOtherUsers(file);
  return { release: () => lock.close() };
}
