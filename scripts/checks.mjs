import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkLayout } from "./layout.mjs";
import { checkLicenses } from "./licenses.mjs";
import { checkPlatformPackages } from "./platform-packages.mjs";
import { node, root, run } from "./process.mjs";
import { checkProse } from "./prose.mjs";

const PROTO_FOLDERS = ["proto", "packages/transcoding/testing/proto"];

const GENERATING_PACKAGES = ["packages/domain", "packages/transcoding", "apps/server"];

/**
 * Runs all checks except the tests.
 *
 * @throws the error of the first failed check.
 */
export async function runChecks() {
  run("biome", ["ci", "--error-on-warnings", `--colors=${process.stdout.isTTY ? "force" : "off"}`, "."]);
  await checkLayout();
  checkProse();
  run("cspell", ["lint", "--no-progress", "--no-summary"]);
  run(node, [join(root, "scripts", "expressions.mjs")]);
  for (const folder of ["benchmarks", "examples"]) run("tsc", ["--project", folder]);
  checkPlatformPackages();
  checkLicenses();
  for (const folder of PROTO_FOLDERS) {
    run("buf", ["lint", folder]);
    run("buf", ["format", "--diff", "--exit-code", folder]);
  }
  const scratch = mkdtempSync(join(tmpdir(), "calltrack-checks-"));
  try {
    for (const folder of GENERATING_PACKAGES) checkGenerated(folder, scratch);
    checkBreaking(scratch);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Generates the code of a package in another folder, and compares it with the existing code. */
function checkGenerated(folder, scratch) {
  const fresh = join(scratch, folder);
  run("buf", ["generate", "--output", fresh], { cwd: join(root, folder) });
  const differences = ["diff", "--no-index", "--stat", join(root, folder, "src", "gen"), join(fresh, "src", "gen")];
  const { status } = spawnSync("git", differences, { stdio: "inherit" });
  if (status !== 0) throw new Error(`the generated code of ${folder} is stale: run npm run build`);
}

/** Checks the protos for breaking changes since the main branch. Does nothing without git or a main branch. */
function checkBreaking(scratch) {
  const base = ["main", "origin/main"].find(isBranch);
  if (base === undefined) return console.log("buf breaking: no main branch to compare with");
  const before = join(scratch, "before");
  mkdirSync(before);
  const archive = execFileSync("git", ["archive", base, "buf.yaml", ...PROTO_FOLDERS], { cwd: root });
  execFileSync("tar", ["-x"], { cwd: before, input: archive });
  symlinkSync(join(root, "node_modules"), join(before, "node_modules"));
  run("buf", ["build", join(before, "proto"), "--output", join(scratch, "before.binpb")]);
  run("buf", ["breaking", "proto", "--against", join(scratch, "before.binpb"), "--exclude-imports"]);
}

function isBranch(name) {
  const lookup = ["rev-parse", "--verify", "--quiet", `${name}^{commit}`];
  return existsSync(join(root, ".git")) && spawnSync("git", lookup, { cwd: root }).status === 0;
}
