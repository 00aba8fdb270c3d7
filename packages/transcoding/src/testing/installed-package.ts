import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const PACKAGE = join(import.meta.dirname, "..", "..");

const NEEDED = ["@bufbuild/protobuf", "@connectrpc/connect", "@connectrpc/connect-node"];

const run = promisify(execFile);

/** A project outside the workspace in which the package is installed from its tarball. */
export interface InstalledProject extends AsyncDisposable {
  readonly folder: string;
  /** The paths in the tarball, without the leading `package/`. */
  readonly files: readonly string[];
}

/** Packs the package, and installs it with its peer dependencies in a project that also has the generated code of the library API. */
export async function installPackage(): Promise<InstalledProject> {
  const folder = await mkdtemp(join(tmpdir(), "calltrack-transcoding-"));
  const { stdout } = await npm(PACKAGE, ["pack", "--json", "--pack-destination", folder]);
  // npm's lifecycle scripts may print text before the JSON.
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf("[\n")));
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const { devDependencies } = JSON.parse(await readFile(join(PACKAGE, "package.json"), "utf8"));
  const others = NEEDED.map((name) => `${name}@${devDependencies[name]}`);
  await npm(folder, ["install", "--no-audit", "--no-fund", "--prefer-offline", `./${packed.filename}`, ...others]);
  await cp(join(PACKAGE, "dist", "gen"), join(folder, "gen"), { recursive: true });
  return {
    folder,
    files: packed.files.map(({ path }: { path: string }) => path),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

function npm(cwd: string, args: readonly string[]): Promise<{ stdout: string }> {
  return run("npm", args, { cwd, shell: process.platform === "win32" });
}
