// Takes from the manifest what users of the packed program have no use for, or with --restore puts it back. The packages that the
// program needs are in its bundle: as dependencies of the workspace they are there to be counted among what is shipped.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MANIFEST = join(import.meta.dirname, "package.json");
const WHOLE = join(import.meta.dirname, "node_modules", ".whole-package.json");

if (process.argv[2] === "--restore") {
  renameSync(WHOLE, MANIFEST);
} else {
  const text = readFileSync(MANIFEST, "utf8");
  writeFileSync(WHOLE, text);
  const { dependencies: _, devDependencies: __, scripts: ___, ...packed } = JSON.parse(text);
  // At once, as others may be reading it.
  writeFileSync(`${WHOLE}.packed`, `${JSON.stringify(packed, null, 2)}\n`);
  renameSync(`${WHOLE}.packed`, MANIFEST);
}
