import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, runPackage } from "./process.mjs";

/** Holds what was last installed, so that starting again with nothing changed asks no registry and takes no time. */
const stamp = join(root, "node_modules", ".installed");

/** Installs the dependencies as the lockfile has them, unless they are there. */
export function install() {
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.error("installing dependencies; this takes a minute the first time");
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  runPackage(packageManager, ["install", "--frozen-lockfile"], { quiet: true });
  writeFileSync(stamp, wanted);
}

/** A hash of everything that decides what is installed. */
function fingerprint() {
  const hash = createHash("sha256");
  for (const file of installInputs()) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

/** The files, from the top of the repository, that decide what is installed. */
export function installInputs() {
  const folders = ["packages", "apps"].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(parent, name)),
  );
  const manifests = [".", "benchmarks", ...folders].map((folder) => join(folder, "package.json"));
  const files = ["pnpm-lock.yaml", "pnpm-workspace.yaml", ".pnpmfile.cjs", ...manifests];
  return files.filter((file) => existsSync(join(root, file)));
}
