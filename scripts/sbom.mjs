import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { listInstallInputs } from "./install.mjs";
import { repositoryRoot, runNpm } from "./process.mjs";
import { RELEASED_PACKAGE_FILTERS } from "./released-packages.mjs";

/** The first major version of pnpm that can write an SBOM. For all other tasks, the project uses an older version, which runs on Node.js 20. */
const PNPM = "pnpm@11.28.11";

/**
 * Writes the runtime dependencies, with version, license and hash, as a software bill of materials (SBOM) in CycloneDX JSON.
 *
 * @param {string} file
 */
export function writeSbom(file) {
  const scratch = mkdtempSync(join(tmpdir(), "calltrack-sbom-"));
  const pnpm = (...args) =>
    runNpm(["exec", "--yes", "--", PNPM, "--pm-on-fail=ignore", ...RELEASED_PACKAGE_FILTERS, ...args], {
      cwd: scratch,
      output: "quiet",
    });
  try {
    for (const name of listInstallInputs()) cpSync(join(repositoryRoot, name), join(scratch, name));
    // pnpm reads licenses from the packages, which must be in the store of this pnpm version.
    pnpm("install", "--prod", "--frozen-lockfile", "--ignore-scripts");
    pnpm("sbom", "--prod", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--out", resolve(file));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
