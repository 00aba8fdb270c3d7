import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot, runNpm } from "./process.mjs";

/**
 * The file with the hash of the files that determined the last installation. If the hash is unchanged, the installation is skipped, without network
 * access.
 */
const stamp = join(repositoryRoot, "node_modules", ".installed");

/** Installs the dependencies in the lockfile, unless they are already installed. */
export function installDependencies() {
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  const { packageManager } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
  console.error("Installing dependencies; the first time, this takes a minute or two");
  // Quiet, because npm and pnpm advertise new versions, and warn about the machine's Node.js version. The project's programs run on another version,
  // which this command installs.
  runNpm(["exec", "--yes", "--", packageManager, "install", "--frozen-lockfile"], { output: "quiet" });
  writeFileSync(stamp, wanted);
}

function fingerprint() {
  const hash = createHash("sha256");
  for (const file of listInstallInputs()) hash.update(file).update(readFileSync(join(repositoryRoot, file)));
  return hash.digest("hex");
}

/** Returns the files that determine the installation, as paths relative to the repository's root. */
export function listInstallInputs() {
  const folders = ["packages", "apps"].flatMap((parent) =>
    readdirSync(join(repositoryRoot, parent)).map((name) => join(parent, name)),
  );
  const manifests = [".", "benchmarks", ...folders].map((folder) => join(folder, "package.json"));
  const files = ["pnpm-lock.yaml", "pnpm-workspace.yaml", ".pnpmfile.cjs", ...manifests];
  return files.filter((file) => existsSync(join(repositoryRoot, file)));
}
