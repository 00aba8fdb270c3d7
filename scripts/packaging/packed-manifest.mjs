// Prepares the built package in the current folder for packing, and undoes that with --restore. Adds the licence, and removes
// dependencies and scripts from the manifest. The bundle contains the dependencies; in the workspace, the manifest lists them so
// that licence checks and the bill of materials cover them.
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MANIFEST = "package.json";
const BACKUP = join("node_modules", ".whole-package.json");
const LICENCE = "LICENSE";

if (process.argv[2] === "--restore") {
  renameSync(BACKUP, MANIFEST);
  rmSync(LICENCE);
} else {
  // Packing does not build, because a build replaces files that a running program or test may be about to load.
  if (!existsSync("dist")) throw new Error("the package is not built: run npm run build in the repository");
  cpSync(join(import.meta.dirname, "..", "..", LICENCE), LICENCE);
  const text = readFileSync(MANIFEST, "utf8");
  writeFileSync(BACKUP, text);
  const { dependencies: _, devDependencies: __, scripts: ___, ...packed } = JSON.parse(text);
  // Replaced atomically, because other processes may be reading the manifest.
  writeFileSync(`${BACKUP}.packed`, `${JSON.stringify(packed, null, 2)}\n`);
  renameSync(`${BACKUP}.packed`, MANIFEST);
}
