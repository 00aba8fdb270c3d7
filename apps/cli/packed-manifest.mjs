// Removes dependencies and scripts from the manifest before packing, and restores it with --restore. The bundle contains the
// dependencies; in the workspace, the manifest lists them so that licence checks and the bill of materials cover them.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MANIFEST = join(import.meta.dirname, "package.json");
const BACKUP = join(import.meta.dirname, "node_modules", ".whole-package.json");

if (process.argv[2] === "--restore") {
  renameSync(BACKUP, MANIFEST);
} else {
  const text = readFileSync(MANIFEST, "utf8");
  writeFileSync(BACKUP, text);
  const { dependencies: _, devDependencies: __, scripts: ___, ...packed } = JSON.parse(text);
  // Replaced atomically, because other processes may be reading the manifest.
  writeFileSync(`${BACKUP}.packed`, `${JSON.stringify(packed, null, 2)}\n`);
  renameSync(`${BACKUP}.packed`, MANIFEST);
}
