// Runs after every installation. The package manager creates a shell script `.bin/node` that starts the project's Node.js as a
// child and does not forward signals. SIGTERM to `npm start` or `npx calltrack-server` would end the script and leave the
// server running. So this replaces the script by a link to the binary. Windows has no such signals and keeps the script.
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const link = join(import.meta.dirname, "..", "node_modules", ".bin", "node");
if (process.platform !== "win32") {
  rmSync(link, { force: true });
  symlinkSync(join("..", "node", "bin", "node"), link);
}
