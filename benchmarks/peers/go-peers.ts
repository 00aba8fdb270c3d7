import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Peer } from "./peer.ts";
import {
  CREATE_POOL_STATEMENT,
  FIND_ACCOUNT_STATEMENT,
  GET_POOL_STATEMENT,
  LIST_POOLS_STATEMENT,
} from "./pool-statements.ts";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const STATEMENTS = {
  get_pool: GET_POOL_STATEMENT,
  list_pools: LIST_POOLS_STATEMENT,
  create_pool: CREATE_POOL_STATEMENT,
  find_account: FIND_ACCOUNT_STATEMENT,
};
const GENERATORS = ["google.golang.org/protobuf/cmd/protoc-gen-go", "google.golang.org/grpc/cmd/protoc-gen-go-grpc"];

/** The peers that can be started: without the Go peers if their build failed. */
export interface BuiltPeers {
  readonly peers: readonly Peer[];
  /** The version of Go that built the Go peers, such as `1.27.3`; undefined if there are none. */
  readonly goVersion: string | undefined;
  /** Why the Go peers are omitted; undefined if they are built or not selected. */
  readonly goProblem: string | undefined;
}

/** Builds the server that the Go peers share. Omits these peers if the build fails. */
export async function buildGoPeers(resources: AsyncDisposableStack, peers: readonly Peer[]): Promise<BuiltPeers> {
  const source = peers.find(({ isGo }) => isGo)?.program;
  if (source === undefined) return { peers, goVersion: undefined, goProblem: undefined };
  console.log("Building the Go server …");
  try {
    const { executable, version } = await buildServer(resources, fileURLToPath(source));
    const program = pathToFileURL(executable).href;
    const built = peers.map((peer) => (peer.isGo ? { ...peer, program } : peer));
    return { peers: built, goVersion: version, goProblem: undefined };
  } catch (error) {
    console.log(`The Go peers are omitted: ${error}`);
    const goProblem = "their build failed; see the output of the run.";
    return { peers: peers.filter(({ isGo }) => !isGo), goVersion: undefined, goProblem };
  }
}

/** Runs a program, by default in the build folder. Returns its standard output. */
type Run = (program: string, args: readonly string[], cwd?: string) => Promise<string>;

interface GoServer {
  readonly executable: string;
  readonly version: string;
}

/** Builds the server in a temporary folder, to which it adds the generated code and the SQL of the statements. */
async function buildServer(resources: AsyncDisposableStack, source: string): Promise<GoServer> {
  const folder = await mkdtemp(join(tmpdir(), "calltrack-go-"));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  await cp(source, folder, { recursive: true });
  const go = process.env.GO || "go";
  const vendor = process.env.GO_VENDOR;
  const run = createRun(resources, folder, vendor === undefined ? "mod" : "vendor");
  const version = (await run(go, ["env", "GOVERSION"])).trim().replace(/^go/, "");
  if (vendor !== undefined)
    await linkVendored(resolve(vendor), folder, JSON.parse(await run(go, ["mod", "edit", "-json"])));
  for (const [name, text] of Object.entries(STATEMENTS)) await writeFile(join(folder, `${name}.sql`), text);
  await run(go, ["build", "-o", "bin/", ...GENERATORS]);
  // Paths in the template are relative to the repository root.
  await run("buf", ["generate", "--template", join(folder, "buf.gen.yaml"), "--output", folder], REPOSITORY);
  await run(go, ["build", "-o", "bin/server", "."]);
  return { executable: join(folder, "bin", "server"), version };
}

/** Creates a function that runs programs. Go takes modules from the module proxy, as `go.mod` specifies, or from a vendor folder. */
function createRun(resources: AsyncDisposableStack, folder: string, modules: "mod" | "vendor"): Run {
  const interruption = new AbortController();
  resources.defer(() => interruption.abort());
  const env = {
    ...process.env,
    PATH: [join(folder, "bin"), join(REPOSITORY, "node_modules", ".bin"), process.env.PATH].join(delimiter),
    GOFLAGS: `-mod=${modules}`,
    CGO_ENABLED: "0",
  };
  return async (program, args, cwd = folder) => {
    const { stdout } = await promisify(execFile)(program, args, { cwd, env, signal: interruption.signal });
    return stdout;
  };
}

/** The fields of `go mod edit -json` that are used. */
interface GoModule {
  readonly Go: string;
  readonly Require: readonly { readonly Path: string; readonly Version: string }[];
}

/**
 * Creates a vendor folder with links to the Go sources in the folder `sources`, such as Debian's `/usr/share/gocode/src`. In `sources`, the path of
 * each package is its import path.
 *
 * See https://go.dev/ref/mod#vendoring for `modules.txt`, which must list every module in `go.mod` and every package.
 */
async function linkVendored(sources: string, folder: string, { Go, Require }: GoModule): Promise<void> {
  const vendor = join(folder, "vendor");
  await mkdir(vendor);
  for (const name of await readdir(sources)) await symlink(join(sources, name), join(vendor, name));
  const lines: string[] = [];
  for (const { Path, Version } of Require) {
    lines.push(`# ${Path} ${Version}`, `## explicit; go ${Go}`);
    const nested = Require.filter((other) => other.Path.startsWith(`${Path}/`)).map((other) => other.Path);
    for (const name of await listPackages(sources, Path)) {
      if (!nested.some((other) => `${name}/`.startsWith(`${other}/`))) lines.push(name);
    }
  }
  await writeFile(join(vendor, "modules.txt"), `${lines.join("\n")}\n`);
}

async function listPackages(sources: string, module: string): Promise<string[]> {
  const files = await readdir(join(sources, module), { recursive: true, withFileTypes: true });
  const folders = files
    .filter(({ name }) => name.endsWith(".go"))
    .map(({ parentPath }) => relative(sources, parentPath));
  return [...new Set(folders)].sort();
}
