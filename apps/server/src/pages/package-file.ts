import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";

/**
 * Reads a file from a package, such as `@calltrack/dni-script/dni.js`. `bundle.mjs` replaces this module: in the bundle, the files are beside
 * the code.
 */
export function readPackageFile(specifier: string): Buffer {
  return readFileSync(createRequire(import.meta.url).resolve(specifier));
}

/** Returns the folder of the built console, which is beside the code in the bundle, too. */
export function findConsoleFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("@calltrack/console/index.html"));
}
