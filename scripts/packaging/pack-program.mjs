import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot, runNpm } from "../process.mjs";

/**
 * Packs a built program into an npm tarball without dependencies, because the bundle contains them. The manifest in the workspace lists the
 * dependencies for license checks and the bill of materials. Packs a copy, so that other processes can read the original manifest meanwhile.
 *
 * @param {string} app the folder of the program below `apps`.
 * @param {string} destination the folder of the tarball.
 * @returns {string} the path of the tarball.
 * @throws Error if the program is not built. This function does not build, because a build replaces files that a running program may load.
 */
export function packProgram(app, destination) {
  const folder = join(repositoryRoot, "apps", app);
  if (!existsSync(join(folder, "dist")))
    throw new Error(`apps/${app} is not built: run npm run build in the repository`);
  const { dependencies: _, devDependencies: __, scripts: ___, ...manifest } = readManifest(folder);
  const copy = mkdtempSync(join(tmpdir(), "calltrack-pack-"));
  try {
    for (const name of [...manifest.files, "README.md"])
      cpSync(join(folder, name), join(copy, name), { recursive: true });
    cpSync(join(repositoryRoot, "LICENSE"), join(copy, "LICENSE"));
    writeFileSync(join(copy, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    runNpm(["pack", "--pack-destination", destination], { cwd: copy, output: "quiet" });
  } finally {
    rmSync(copy, { recursive: true });
  }
  return join(destination, `calltrack-${app}-${manifest.version}.tgz`);
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
