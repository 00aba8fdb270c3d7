import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The version in the package manifest. Sources and bundle find it at the same relative path. */
export const PROGRAM_VERSION: string = JSON.parse(
  readFileSync(join(import.meta.dirname, "../package.json"), "utf8"),
).version;
