import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";

const MEMORY_FOLDER = "/dev/shm";

/** Twice the space that all test databases take. */
const MIN_FREE_BYTES = 12 * 2 ** 30;

/** Returns the folder for test databases: in memory if enough is free, where creating and deleting files takes a fifth of the CPU time. */
export async function findScratchFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY_FOLDER).catch(() => ({ bavail: 0, bsize: 0 }));
  return Math.min(bavail * bsize, process.availableMemory()) >= MIN_FREE_BYTES ? MEMORY_FOLDER : tmpdir();
}
