import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, runNpm } from "./process.mjs";

/** Stores a hash of the last installation, so that an unchanged installation is skipped without network access. */
const stamp = join(root, "node_modules", ".installed");

/** Installs the dependencies of the lockfile, unless they are installed already. */
export function install() {
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  console.error("Installing dependencies, a minute or two the first time");
  // Quiet, because package managers warn of the machine's Node.js, which only installs the project's, and advertise new versions.
  runNpm(["exec", "--yes", "--", packageManager, "install", "--frozen-lockfile"], { output: "quiet" });
  writeFileSync(stamp, wanted);
}

/** Returns a hash of everything that determines the installation. */
function fingerprint() {
  const hash = createHash("sha256");
  for (const file of installInputs()) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

/** Lists the files that determine the installation, relative to the repository's root. */
export function installInputs() {
  const folders = ["packages", "apps"].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(parent, name)),
  );
  const manifests = [".", "benchmarks", ...folders].map((folder) => join(folder, "package.json"));
  const files = ["pnpm-lock.yaml", "pnpm-workspace.yaml", ".pnpmfile.cjs", ...manifests];
  return files.filter((file) => existsSync(join(root, file)));
}
