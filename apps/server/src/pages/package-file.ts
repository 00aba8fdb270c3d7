import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";

/**
 * Reads a file from a package, such as `@calltrack/dni-script/dni.js`. `bundle.mjs` replaces this module, because in the bundle the files
 * are in the folder of the code.
 */
export function readPackageFile(specifier: string): Buffer {
  return readFileSync(createRequire(import.meta.url).resolve(specifier));
}

/**
 * Returns the path of the folder with the built console. `bundle.mjs` replaces this module, because the bundle contains the console beside the code.
 */
export function findConsoleFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("@calltrack/console/index.html"));
}
