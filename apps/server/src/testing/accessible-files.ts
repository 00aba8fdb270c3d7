import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Starts a process with the umask 0, which the process inherits. */
export function withoutUmask<T>(start: () => T): T {
  const before = process.umask(0);
  try {
    return start();
  } finally {
    process.umask(before);
  }
}

/** Returns the paths in a folder that have permissions for users who are neither the owner nor in the group. */
export function findAccessible(directory: string): string[] {
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return paths.filter((path) => (statSync(join(directory, path)).mode & 0o007) !== 0);
}
