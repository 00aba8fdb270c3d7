// Runs after every install. The package manager puts a shell script in `.bin/node` that starts the project's Node.js as its child and
// passes no signals on: a SIGTERM to `npm start` or `npx calltrack-server` ended the script and left the server running. A link to
// the binary has none of that. Windows has no such signals, and keeps its script.
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const link = join(import.meta.dirname, "..", "node_modules", ".bin", "node");
if (process.platform !== "win32") {
  rmSync(link, { force: true });
  symlinkSync(join("..", "node", "bin", "node"), link);
}
