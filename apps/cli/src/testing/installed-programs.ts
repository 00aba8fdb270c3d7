import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const APPS = join(import.meta.dirname, "..", "..", "..");

const run = promisify(execFile);

/** A program that was installed from its tarball. */
export interface InstalledProgram {
  /** The folder of the installed package. */
  readonly folder: string;
  /** The paths in the tarball, without the leading `package/`. */
  readonly files: readonly string[];
}

/** The programs installed outside the workspace from their tarballs, as users install them. */
export interface InstalledPrograms extends AsyncDisposable {
  /** The temporary folder that contains the installation. */
  readonly folder: string;
  readonly cli: InstalledProgram;
  readonly server: InstalledProgram;
  /** Installs a version of Node.js from the registry and returns the path of its binary. */
  installNode(version: string): Promise<string>;
}

/** Packs the command line and the server, and installs both globally below a temporary folder. */
export async function installPrograms(): Promise<InstalledPrograms> {
  const folder = await mkdtemp(join(tmpdir(), "calltrack-installed-"));
  const cli = await pack("cli", folder);
  const server = await pack("server", folder);
  const options = ["--no-audit", "--no-fund", "--prefer-offline", "--prefix"];
  const tarballs = [cli, server].map(({ filename }) => `./${filename}`);
  await npm(folder, "install", "--global", ...options, join(folder, "global"), ...tarballs);
  const isWindows = process.platform === "win32";
  const modules = join(folder, "global", ...(isWindows ? [] : ["lib"]), "node_modules", "@calltrack");
  return {
    folder,
    cli: { folder: join(modules, "cli"), files: cli.files.map(({ path }) => path) },
    server: { folder: join(modules, "server"), files: server.files.map(({ path }) => path) },
    installNode: async (version) => {
      const name = `node-${isWindows ? "win" : process.platform}-${process.arch}`;
      const prefix = join(folder, `node-${version}`);
      await npm(folder, "install", ...options, prefix, `${name}@${version}`);
      return join(prefix, "node_modules", name, "bin", isWindows ? "node.exe" : "node");
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

interface Tarball {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

async function pack(app: string, destination: string): Promise<Tarball> {
  const output = await npm(join(APPS, app), "pack", "--json", "--pack-destination", destination);
  // Lifecycle scripts may print text before npm's JSON.
  const [tarball] = JSON.parse(output.slice(output.indexOf("[\n")));
  return tarball;
}

async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  return (await run("npm", args, { cwd, shell: process.platform === "win32" })).stdout;
}
