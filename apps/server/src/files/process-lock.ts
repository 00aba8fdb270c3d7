import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { denyOtherUsers } from "./private-folder.js";

/** SQLite's result code for a lock that another process holds, and for a file system that does not support locks. */
const SQLITE_BUSY = 5;

/** The `user_version` of a lock file that is being deleted. A process that opened the file earlier must not lock it. */
const DELETED = 1;

export interface ProcessLock {
  release(): void;
  /** Releases the lock and deletes its file. The file remains if it cannot be changed, for example because the disk is full. */
  delete(): void;
}

/**
 * Locks a file, which it creates if needed, for this process. Returns undefined if the file is already locked or is being deleted.
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
    lock.exec("pragma journal_mode = memory; pragma synchronous = off; begin exclusive");
    denyOtherUsers(file);
    if (lock.prepare("pragma user_version").get()?.user_version !== DELETED) return createLock(lock, file);
    // The process that marked the file may have ended before it removed the file.
    rmSync(file, { force: true });
  } catch (error) {
    lock.close();
    const { errcode, code } = error as { readonly errcode?: unknown; readonly code?: unknown };
    if (errcode === SQLITE_BUSY || code === "ENOENT") return undefined;
    throw error;
  }
  lock.close();
  return undefined;
}

function createLock(lock: DatabaseSync, file: string): ProcessLock {
  return {
    release: () => lock.close(),
    delete() {
      try {
        lock.exec(`pragma user_version = ${DELETED}; commit`);
        rmSync(file, { force: true });
      } catch {
        // The file is empty, and the next process that finds it deletes it.
      } finally {
        lock.close();
      }
    },
  };
}
