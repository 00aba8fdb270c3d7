import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/**
 * This module simulates a full disk. `--import` loads it before a server starts. While the file at FULL_DISK exists, writes fail for files whose
 * paths match the regular expression in that file.
 */
const switchFile = process.env.FULL_DISK ?? "";
const paths = new Map<number, string>();
const { openSync, writeSync } = fs;

Object.assign(fs, {
  openSync(...parameters: Parameters<typeof openSync>) {
    const descriptor = openSync(...parameters);
    paths.set(descriptor, String(parameters[0]));
    return descriptor;
  },
  writeSync(...parameters: Parameters<typeof writeSync>) {
    const [descriptor] = parameters;
    if (isFull(paths.get(descriptor) ?? "")) {
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });
    }
    return writeSync(...parameters);
  },
});
syncBuiltinESMExports();

function isFull(path: string): boolean {
  return fs.existsSync(switchFile) && new RegExp(fs.readFileSync(switchFile, "utf8")).test(path);
}
