import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { installInputs } from "./install.mjs";
import { checkPlatformPackages, PLATFORMS } from "./platform-packages.mjs";
import { root, runNpm, runPackage } from "./process.mjs";

/**
 * Installs the dependencies for every platform, each into its own folder. Install scripts do not run, because they would start
 * binaries of another platform; the lockfile check covers them.
 *
 * @throws Error for the first platform that cannot be installed.
 */
export function checkPlatforms() {
  checkPlatformPackages();
  for (const platform of PLATFORMS) {
    const scratch = mkdtempSync(join(tmpdir(), "calltrack-platform-"));
    try {
      installFor(platform, scratch);
    } finally {
      rmSync(scratch, { recursive: true });
    }
    console.log(`${platform.os}-${platform.cpu}: resolved and installed`);
  }
}

function installFor({ os, cpu, node }, folder) {
  for (const name of installInputs()) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    cpSync(join(root, name), join(folder, name));
  }
  const { packageManager, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const options = { cwd: folder, quiet: true };
  const target = [`--os=${os}`, `--cpu=${cpu}`, "--libc=glibc"];
  runPackage(packageManager, ["install", "--frozen-lockfile", "--ignore-scripts", ...target], options);
  // The install script of the package node downloads this package itself, so the lockfile does not list it.
  runNpm(["pack", "--pack-destination", folder, `${node}@${devDependencies.node}`], options);
}
