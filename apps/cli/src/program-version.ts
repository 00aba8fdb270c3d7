import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The version in the package's manifest, which is in the same place for the sources and the bundle. */
export const PROGRAM_VERSION: string = JSON.parse(
  readFileSync(join(import.meta.dirname, "../package.json"), "utf8"),
).version;
