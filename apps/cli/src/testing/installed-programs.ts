import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";

const isWindows = process.platform === "win32";

/** The npm package that contains the Node.js binary for this machine. */
const NODE_PACKAGE = `node-${isWindows ? "win" : process.platform}-${process.arch}`;

const run = promisify(execFile);

export interface InstalledProgram {
  /** The folder of the installed package. */
  readonly folder: string;
  /** The paths in the tarball, without the leading `package/`. */
  readonly files: readonly string[];
}

/** The programs, installed from their tarballs outside the workspace, as users install them. */
export interface InstalledPrograms {
  readonly cli: InstalledProgram;
  readonly server: InstalledProgram;
  /** Maps each requested version of Node.js to the path of its binary. */
  readonly nodes: ReadonlyMap<string, string>;
}

/**
 * Packs the command line and the server, and installs both globally in a folder, together with the given versions of Node.js from the npm
 * registry.
 */
export async function installPrograms(folder: string, versions: readonly string[]): Promise<InstalledPrograms> {
  const { packProgram } = await import(new URL("../../../../scripts/packaging/pack-program.mjs", import.meta.url).href);
  const options = ["--no-audit", "--no-fund", "--prefer-offline", "--prefix"];
  const tarballs: readonly string[] = ["cli", "server"].map((app) => packProgram(app, folder));
  await npm(folder, "install", "--global", ...options, join(folder, "global"), ...tarballs);
  const nodes = versions.map((version) => `node-${version}@npm:${NODE_PACKAGE}@${version}`);
  await npm(folder, "install", ...options, join(folder, "nodes"), ...nodes);
  const binary = (version: string) =>
    join(folder, "nodes", "node_modules", `node-${version}`, "bin", isWindows ? "node.exe" : "node");
  const modules = join(folder, "global", ...(isWindows ? [] : ["lib"]), "node_modules", "@calltrack");
  return {
    cli: await readProgram(join(modules, "cli")),
    server: await readProgram(join(modules, "server")),
    nodes: new Map(versions.map((version) => [version, binary(version)])),
  };
}

async function readProgram(folder: string): Promise<InstalledProgram> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return { folder, files: paths.map((path) => relative(folder, path).replaceAll("\\", "/")) };
}

async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  return (await run("npm", args, { cwd, shell: process.platform === "win32" })).stdout;
}
