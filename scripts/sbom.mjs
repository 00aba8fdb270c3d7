import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { installInputs } from "./install.mjs";
import { root, runNpm } from "./process.mjs";
import { RELEASED_FILTER } from "./released-packages.mjs";

/** The first major version of pnpm that writes an SBOM. The project otherwise uses an older one, which runs on Node.js 20. */
const PNPM = "pnpm@11.28.11";

/**
 * Writes the runtime dependencies, with version, license and hash, as a software bill of materials (SBOM) in CycloneDX JSON.
 *
 * @param {string} file
 */
export function writeSbom(file) {
  const scratch = mkdtempSync(join(tmpdir(), "calltrack-sbom-"));
  const pnpm = (...args) =>
    runNpm(["exec", "--yes", "--", PNPM, "--pm-on-fail=ignore", ...RELEASED_FILTER, ...args], {
      cwd: scratch,
      output: "quiet",
    });
  try {
    for (const name of installInputs()) cpSync(join(root, name), join(scratch, name));
    // pnpm reads licenses from the packages, which must be in the store of this pnpm version.
    pnpm("install", "--prod", "--frozen-lockfile", "--ignore-scripts");
    pnpm("sbom", "--prod", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--out", resolve(file));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
