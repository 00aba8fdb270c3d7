import fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Logger } from "pino";
import { fsyncDirectory } from "./fsync-tree.js";

const OWNER = 0o700;
const GROUP = 0o070;

/** The permission bits of users who are neither the owner nor in the group. */
export const OTHERS_PERMISSION_BITS = 0o007;

/** Marks a folder that is shared with a group, such as a volume of Kubernetes with `fsGroup`. */
const SETGID = 0o2000;

/**
 * Creates a folder that only this user can access, and its missing parents, and makes their entries durable. Does nothing if the folder exists. If
 * the parent folder is shared with a group, the new folder is shared with that group.
 */
export function createPrivateFolder(folder: string): void {
  const first = fs.mkdirSync(folder, { recursive: true, mode: OWNER });
  if (first === undefined) return;
  const { mode } = fs.statSync(dirname(folder));
  if (mode & SETGID) fs.chmodSync(folder, OWNER | (mode & (SETGID | GROUP)));
  for (let made = resolve(folder); made.length >= first.length; made = dirname(made)) fsyncDirectory(dirname(made));
}

/** Removes other users' access to a file, or to a folder and everything in it. */
export function denyOtherUsers(path: string): void {
  const found = fs.lstatSync(path);
  if (found.isSymbolicLink()) return;
  chmod(path, found.mode & ~OTHERS_PERMISSION_BITS);
  if (found.isDirectory()) for (const name of fs.readdirSync(path)) denyOtherUsers(join(path, name));
}

/** Removes other users' access to a folder, but not to its contents, and logs the result. */
export function restrictFolderAccess(folder: string, log: Logger | undefined): void {
  const { mode } = fs.statSync(folder);
  // Windows has no permission bits for other users.
  if ((mode & OTHERS_PERMISSION_BITS) === 0 || process.platform === "win32") return;
  const error = chmod(folder, mode & ~OTHERS_PERMISSION_BITS);
  if (error === undefined) log?.warn({ folder }, "other users had access to DATA_DIR: their access was removed");
  else log?.warn({ folder, err: error }, "other users have access to DATA_DIR: its owner must remove their access");
}

/** Returns the error, for example if this user does not own the file; undefined on success. */
function chmod(path: string, mode: number): unknown {
  try {
    fs.chmodSync(path, mode);
    return undefined;
  } catch (error) {
    return error;
  }
}
