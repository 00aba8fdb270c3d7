import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The version in package.json, which has the same path relative to the sources and to the bundle. */
export const PROGRAM_VERSION: string = JSON.parse(
  readFileSync(join(import.meta.dirname, "../package.json"), "utf8"),
).version;
