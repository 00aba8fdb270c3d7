import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkImportRules } from "./import-rules.mjs";
import { checkLicenses } from "./licenses.mjs";
import { checkPlatformPackages } from "./platform-packages.mjs";
import { nodeBinary, repositoryRoot, runTool } from "./process.mjs";
import { checkProse } from "./prose.mjs";

const PROTO_FOLDERS = ["proto", "packages/transcoding/testing/proto"];

const GENERATING_PACKAGES = ["packages/domain", "packages/transcoding", "apps/server"];

/**
 * Runs all checks except the tests: linters, type checks and comparisons with generated code.
 *
 * @throws the error of the first failed check.
 */
export async function runChecks() {
  runTool("biome", ["ci", "--error-on-warnings", `--colors=${process.stdout.isTTY ? "force" : "off"}`, "."]);
  await checkImportRules();
  checkProse();
  runTool("cspell", ["lint", "--no-progress", "--no-summary"]);
  runTool(nodeBinary, [join(repositoryRoot, "scripts", "expressions.mjs")]);
  for (const folder of ["benchmarks", "examples"]) runTool("tsc", ["--project", folder]);
  checkPlatformPackages();
  checkLicenses();
  for (const folder of PROTO_FOLDERS) {
    runTool("buf", ["lint", folder]);
    runTool("buf", ["format", "--diff", "--exit-code", folder]);
  }
  const scratch = mkdtempSync(join(tmpdir(), "calltrack-checks-"));
  try {
    for (const folder of GENERATING_PACKAGES) checkGenerated(folder, scratch);
    checkBreaking(scratch);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Generates the code of a package into a scratch folder, and compares it with the generated code in the package. */
function checkGenerated(folder, scratch) {
  const fresh = join(scratch, folder);
  runTool("buf", ["generate", "--output", fresh], { cwd: join(repositoryRoot, folder) });
  const differences = [
    "diff",
    "--no-index",
    "--stat",
    join(repositoryRoot, folder, "src", "gen"),
    join(fresh, "src", "gen"),
  ];
  const { status } = spawnSync("git", differences, { stdio: "inherit" });
  if (status !== 0) throw new Error(`the generated code of ${folder} is stale: run npm run build`);
}

/** Checks the protos for breaking changes since the main branch. Does nothing without git or a main branch. */
function checkBreaking(scratch) {
  const base = ["main", "origin/main"].find(isBranch);
  if (base === undefined) return console.log("buf breaking: no main branch to compare with");
  const before = join(scratch, "before");
  mkdirSync(before);
  const archive = execFileSync("git", ["archive", base, "buf.yaml", ...PROTO_FOLDERS], { cwd: repositoryRoot });
  execFileSync("tar", ["-x"], { cwd: before, input: archive });
  symlinkSync(join(repositoryRoot, "node_modules"), join(before, "node_modules"));
  runTool("buf", ["build", join(before, "proto"), "--output", join(scratch, "before.binpb")]);
  runTool("buf", ["breaking", "proto", "--against", join(scratch, "before.binpb"), "--exclude-imports"]);
}

function isBranch(name) {
  const lookup = ["rev-parse", "--verify", "--quiet", `${name}^{commit}`];
  return existsSync(join(repositoryRoot, ".git")) && spawnSync("git", lookup, { cwd: repositoryRoot }).status === 0;
}
