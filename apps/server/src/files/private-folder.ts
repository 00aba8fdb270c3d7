import fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Logger } from "pino";
import { syncDirectory } from "./sync-tree.js";

const OWNER = 0o700;
const GROUP = 0o070;

/** The permissions of users who are neither the owner nor in the group. */
export const OTHERS = 0o007;

/** Marks a folder that is shared with a group, such as a volume of Kubernetes with `fsGroup`. */
const SETGID = 0o2000;

/**
 * Creates a folder that only this user can access, and its missing parents, durably. Does nothing if it exists. If its
 * parent is shared with a group, the folder is too.
 */
export function createPrivateFolder(folder: string): void {
  const first = fs.mkdirSync(folder, { recursive: true, mode: OWNER });
  if (first === undefined) return;
  const { mode } = fs.statSync(dirname(folder));
  if (mode & SETGID) fs.chmodSync(folder, OWNER | (mode & (SETGID | GROUP)));
  for (let made = resolve(folder); made.length >= first.length; made = dirname(made)) syncDirectory(dirname(made));
}

/** Removes the access of others from a file, or from a folder and everything in it. */
export function denyOthers(path: string): void {
  const found = fs.lstatSync(path);
  if (found.isSymbolicLink()) return;
  chmod(path, found.mode & ~OTHERS);
  if (found.isDirectory()) for (const name of fs.readdirSync(path)) denyOthers(join(path, name));
}

/** Removes the access of others from a folder, but not from its contents, and logs that. */
export function closeFolder(folder: string, log: Logger | undefined): void {
  const { mode } = fs.statSync(folder);
  // Windows has no such permissions.
  if ((mode & OTHERS) === 0 || process.platform === "win32") return;
  const error = chmod(folder, mode & ~OTHERS);
  if (error === undefined) log?.warn({ folder }, "other users had access to DATA_DIR: removed it");
  else log?.warn({ folder, err: error }, "other users have access to DATA_DIR: its owner must remove it");
}

/** Returns the error of a user who does not own the file, or of a file system without permissions. */
function chmod(path: string, mode: number): unknown {
  try {
    fs.chmodSync(path, mode);
    return undefined;
  } catch (error) {
    return error;
  }
}
