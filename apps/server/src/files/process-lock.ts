import { DatabaseSync } from "node:sqlite";
import { denyOthers } from "./private-folder.js";

/** SQLite's result code for a lock that another process holds. */
const SQLITE_BUSY = 5;

/** A held lock. */
export interface ProcessLock {
  release(): void;
}

/**
 * Locks a file, which it creates if needed, for this process. Returns undefined if it is locked.
 *
 * The lock is an exclusive SQLite transaction on an empty file. The operating system releases it when the process ends,
 * however that happens, so no stale lock remains. It also releases it when this process opens and closes the file once
 * more, because POSIX locks belong to a process and a file.
 *
 * @param retryMs the time to retry a held lock. Two processes that take the lock at the same moment hinder each other;
 *   then SQLite retries until one has it.
 */
export function tryLock(file: string, retryMs: number): ProcessLock | undefined {
  const lock = new DatabaseSync(file, { timeout: retryMs });
  try {
    // A journal file would need disk space, and the disk may be full.
    lock.exec("pragma journal_mode = memory; begin exclusive");
  } catch (error) {
    lock.close();
    if ((error as { readonly errcode?: unknown }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  denyOthers(file);
  return { release: () => lock.close() };
}
