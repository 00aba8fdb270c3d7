import fs from "node:fs";
import { join } from "node:path";

/** Makes a folder and everything in it durable: file contents, and the entries of all folders. */
export function fsyncTree(directory: string): void {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) fsyncTree(path);
    else if (entry.isFile()) sync(path, "r+");
  }
  fsyncDirectory(directory);
}

/** Makes the entries of a folder durable, after files were created, renamed or deleted in it. */
export function fsyncDirectory(directory: string): void {
  // Windows cannot sync a folder. It is not necessary there, because NTFS journals folder entries.
  if (process.platform === "win32") return;
  sync(directory, "r");
}

function sync(path: string, flags: string): void {
  const descriptor = fs.openSync(path, flags);
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
