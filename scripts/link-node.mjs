// Runs after every installation. Replaces the shell script `.bin/node`, which starts the project's Node.js as a child, with a link to the
// binary. The shell script does not forward signals: SIGTERM to `npm start` would end the shell script and leave the server running. Windows has
// no such signals and keeps the shell script.
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const link = join(import.meta.dirname, "..", "node_modules", ".bin", "node");
if (process.platform !== "win32") {
  rmSync(link, { force: true });
  symlinkSync(join("..", "node", "bin", "node"), link);
}
