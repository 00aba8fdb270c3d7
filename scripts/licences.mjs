import { execFileSync } from "node:child_process";
import { commandOf, environment, root } from "./process.mjs";
import { RELEASED_FILTER } from "./released-packages.mjs";

/**
 * Licences that runtime dependencies may have, as named in their manifests. They only require that their text, or a link to it, is passed
 * on with the package. Read a licence before you add it.
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
 * Reads the licences of all runtime dependencies of the server and the command line, including transitive ones, from the
 * installed packages.
 *
 * @returns {{ name: string, versions: string[], licence: string }[]} ordered by name; packages without a licence have
 * "Unknown".
 */
export function readLicences() {
  const [file, ...entry] = commandOf("pnpm");
  const args = [...RELEASED_FILTER, "licenses", "list", "--prod", "--json"];
  const byLicence = JSON.parse(
    execFileSync(file, [...entry, ...args], { cwd: root, env: environment, encoding: "utf8" }),
  );
  return Object.entries(byLicence)
    .flatMap(([licence, packages]) => packages.map(({ name, versions }) => ({ name, versions, licence })))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** @throws Error if a runtime dependency has a licence that is not allowed. */
export function checkLicences() {
  const refused = readLicences().filter(({ licence }) => !ALLOWED.has(licence));
  if (refused.length === 0) return;
  const list = refused.map(({ name, licence }) => `${name}: ${licence}`).join("; ");
  throw new Error(`licences not allowed by scripts/licences.mjs: ${list}`);
}
