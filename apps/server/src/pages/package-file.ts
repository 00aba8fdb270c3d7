import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";

/**
 * Reads a file of a package, such as `@calltrack/dni-script/dni.js`. `bundle.mjs` replaces this module: it lists the files,
 * which lie beside the bundled code.
 */
export function readPackageFile(specifier: string): Buffer {
  return readFileSync(createRequire(import.meta.url).resolve(specifier));
}

/** Returns the folder of the built console, which lies beside the bundled code too. */
export function findConsoleFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("@calltrack/console/index.html"));
}
