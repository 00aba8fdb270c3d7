import { readFileSync } from "node:fs";

/** Returns the version of this release, such as `0.1.0`. */
export function readReleaseVersion(): string {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
}
