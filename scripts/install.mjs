import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./process.mjs";

/** Holds what was last installed, so that starting again with nothing changed asks no registry and takes no time. */
const stamp = join(root, "node_modules", ".installed");

/** Installs the dependencies as the lockfile has them, unless they are there. */
export function install() {
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.error("installing dependencies; this takes a minute the first time");
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  run("npx", ["--yes", packageManager, "install", "--frozen-lockfile"], { quiet: true });
  writeFileSync(stamp, wanted);
}

/** A hash of everything that decides what is installed. */
function fingerprint() {
  const hash = createHash("sha256");
  const folders = ["packages", "apps"].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(parent, name)),
  );
  const manifests = [".", "benchmarks", ...folders].map((folder) => join(folder, "package.json"));
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", ...manifests]) {
    if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}
