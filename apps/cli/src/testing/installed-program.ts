import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const PACKAGE = join(import.meta.dirname, "..", "..");

const run = promisify(execFile);

/** The program installed outside the workspace from its tarball, as users install it. */
export interface InstalledProgram extends AsyncDisposable {
  /** The temporary folder that contains the installation. */
  readonly folder: string;
  /** The paths in the tarball, without the leading `package/`. */
  readonly files: readonly string[];
  /** Path of the program's entry point. */
  readonly entry: string;
  /** Installs a version of Node.js from the registry and returns the path of its binary. */
  installNode(version: string): Promise<string>;
}

/** Packs the program and installs it globally below a temporary folder. */
export async function installProgram(): Promise<InstalledProgram> {
  const folder = await mkdtemp(join(tmpdir(), "calltrack-cli-"));
  const packed = await npm(PACKAGE, "pack", "--json", "--pack-destination", folder);
  // Lifecycle scripts may print text before npm's JSON.
  const [{ filename, files }] = JSON.parse(packed.slice(packed.indexOf("[\n")));
  const options = ["--no-audit", "--no-fund", "--prefer-offline", "--prefix"];
  await npm(folder, "install", "--global", ...options, join(folder, "global"), `./${filename}`);
  const isWindows = process.platform === "win32";
  const modules = join(folder, "global", ...(isWindows ? [] : ["lib"]), "node_modules");
  return {
    folder,
    files: files.map(({ path }: { path: string }) => path),
    entry: join(modules, "@calltrack", "cli", "bin", "calltrack.cjs"),
    installNode: async (version) => {
      const name = `node-${isWindows ? "win" : process.platform}-${process.arch}`;
      const prefix = join(folder, `node-${version}`);
      await npm(folder, "install", ...options, prefix, `${name}@${version}`);
      return join(prefix, "node_modules", name, "bin", isWindows ? "node.exe" : "node");
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  return (await run("npm", args, { cwd, shell: process.platform === "win32" })).stdout;
}
