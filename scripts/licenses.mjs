import { execFileSync } from "node:child_process";
import { findToolCommand, repositoryRoot, toolEnvironment } from "./process.mjs";
import { RELEASED_PACKAGE_FILTERS } from "./released-packages.mjs";

/**
 * Licenses that runtime dependencies may have, as named in their manifests. These licenses only require that their text, or a link to it, is
 * passed on with the package. Read a license before you add it.
 */
const ALLOWED = new Set([
  "(AFL-2.1 OR BSD-3-Clause)",
  "(Apache-2.0 AND BSD-3-Clause)",
  "(MIT OR CC0-1.0)",
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Unlicense",
]);

/**
 * Reads the licenses of all runtime dependencies of the server and the command line, including transitive ones, from the installed packages.
 *
 * @returns {{ name: string, versions: string[], license: string }[]} ordered by name; packages without a license have "Unknown".
 */
export function readLicenses() {
  const [file, ...entry] = findToolCommand("pnpm");
  const args = [...RELEASED_PACKAGE_FILTERS, "licenses", "list", "--prod", "--json"];
  const byLicense = JSON.parse(
    execFileSync(file, [...entry, ...args], { cwd: repositoryRoot, env: toolEnvironment, encoding: "utf8" }),
  );
  return Object.entries(byLicense)
    .flatMap(([license, packages]) => packages.map(({ name, versions }) => ({ name, versions, license })))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** @throws Error if a runtime dependency has a license that is not allowed. */
export function checkLicenses() {
  const rejected = readLicenses().filter(({ license }) => !ALLOWED.has(license));
  if (rejected.length === 0) return;
  const list = rejected.map(({ name, license }) => `${name}: ${license}`).join("; ");
  throw new Error(`scripts/licenses.mjs does not allow the licenses of these packages: ${list}`);
}
