import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/**
 * Reads a file of a package, such as `@calltrack/dni-script/dni.js`. `bundle.mjs` replaces this module: it lists the files,
 * which lie beside the bundled code.
 */
export function readPackageFile(specifier: string): Buffer {
  return readFileSync(createRequire(import.meta.url).resolve(specifier));
}
