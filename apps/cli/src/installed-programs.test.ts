import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type CliOptions, runCli } from "./testing/cli.js";
import { createFolder } from "./testing/create-folder.js";
import { type InstalledPrograms, installPrograms } from "./testing/installed-programs.js";
import { startServer, type TestServer } from "./testing/server.js";

const APPS = join(import.meta.dirname, "..", "..");

const readManifest = async (folder: string) => JSON.parse(await readFile(join(folder, "package.json"), "utf8"));

const MANIFESTS = { cli: await readManifest(join(APPS, "cli")), server: await readManifest(join(APPS, "server")) };

/** The files of each tarball, except the server's bundle and pages. */
const FILES = {
  cli: ["LICENSE", "README.md", "bin/calltrack.cjs", "dist/THIRD-PARTY-NOTICES", "dist/calltrack.cjs"],
  server: ["LICENSE", "README.md", "bin/calltrack-server.cjs"],
};

/** Matches the files of the server's bundle and pages, which the expected list of files omits. */
const FOLDERS = /^dist\/bundle\//;

/** The oldest version of Node.js on which both programs run. */
const [oldest = ""] = /[\d.]+/.exec(MANIFESTS.server.engines.node) ?? [];

/**
 * `NEXT` and `UNSUPPORTED` are the release lines after and before the oldest supported Node.js. `TOO_EARLY` is a version of the release line `NEXT`
 * on which the CLI runs but the server does not.
 */
const [NEXT, UNSUPPORTED, TOO_EARLY] = ["24", "20", "24.1"] as const;

const folder = createFolder();
let programs: InstalledPrograms;
beforeAll(async () => {
  programs = await installPrograms(folder, [oldest, NEXT, UNSUPPORTED, TOO_EARLY]);
});

describe.each(["cli", "server"] as const)("the tarball of the %s", (app) => {
  test("contains only the files that users need", () => {
    const files = programs[app].files.filter((file) => !FOLDERS.test(file));
    const others = app === "cli" ? ["dist/require-node.cjs", "package.json"] : ["package.json"];
    expect(files.toSorted()).toStrictEqual([...FILES[app], ...others].toSorted());
  });

  test("has no dependencies", async () => {
    const { dependencies, devDependencies, engines } = await readManifest(programs[app].folder);
    expect({ dependencies, devDependencies, engines }).toEqual({ engines: MANIFESTS[app].engines });
  });

  test("contains the license of each bundled package", async () => {
    const path = programs[app].files.find((file) => file.endsWith("THIRD-PARTY-NOTICES")) ?? "";
    const notices = await readFile(join(programs[app].folder, path), "utf8");
    const names = Object.keys(MANIFESTS[app].dependencies).filter((name) => !name.startsWith("@calltrack/"));
    for (const name of names) expect(notices).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, "m"));
    expect(notices).toContain("Redistributions in binary form must reproduce the above\ncopyright notice");
  });

  test("does not change the workspace's manifest", async () => {
    expect(await readManifest(join(APPS, app))).toStrictEqual(MANIFESTS[app]);
    expect(Object.keys(MANIFESTS[app].dependencies)).toContain("@calltrack/domain");
  });
});

function run(node: string, args: readonly string[], options: CliOptions = {}) {
  return runCli(args, { ...options, program: [node, join(programs.cli.folder, "bin", "calltrack.cjs")] });
}

/** Starts the installed server with all of its modules, including tracing. */
function serve(node: string, dataDir: string): Promise<TestServer> {
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", LOG_LEVEL: "fatal" };
  const entry = join(programs.server.folder, "bin", "calltrack-server.cjs");
  return startServer({ dataDir, settings: tracing, command: [node, "--liftoff-only", entry] });
}

test("both run on the oldest supported Node.js in an empty folder, and on the next release line with the same data", async () => {
  const dataDir = join(folder, "data");
  await mkdir(dataDir);
  for (const version of [oldest, NEXT]) {
    const node = programs.nodes.get(version) ?? "";
    const { url, stop } = await serve(node, dataDir);
    try {
      expect(await run(node, ["--version"])).toStrictEqual({ exitCode: 0, stdout: "0.1.0\n", stderr: "" });
      const created = await run(node, ["accounts", "create", `node-${version}`, "--output", "json"], { server: url });
      expect({ ...created, stdout: JSON.parse(created.stdout) }).toMatchObject({
        exitCode: 0,
        stdout: { account_token: `node-${version}` },
      });
      expect(await run(node, ["accounts", "get", `node-${oldest}`], { server: url })).toMatchObject({ exitCode: 0 });
      const missing = await run(node, ["numbers", "import", "acme", "nowhere.csv"], { server: url });
      expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("no such file or directory") });
      for (const page of ["/docs", "/docs/start.css", "/openapi.json", "/dni.js", "/dni-page.js", "/dni-debug.js"]) {
        expect((await fetch(url + page)).status, page).toBe(200);
      }
    } finally {
      await stop();
    }
  }
});

test("both report an unsupported Node.js version in one line", async () => {
  const node = programs.nodes.get(UNSUPPORTED) ?? "";
  for (const [app, name] of [
    ["cli", "calltrack"],
    ["server", "calltrack-server"],
  ] as const) {
    const entry = join(programs[app].folder, "bin", `${name}.cjs`);
    const { exitCode, stdout, stderr } = await runCli(["--version"], { program: [node, entry] });
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 2, stdout: "" });
    const needed = { cli: "22.13 or newer", server: "22.17 or a newer 22.x, or 24.2 or newer" }[app];
    expect(stderr).toMatch(new RegExp(`^error: ${name} requires Node.js ${needed}; this is 20\\.[\\d.]+\n$`));
  }
});

test("the server rejects a newer Node.js that drops headers with spaces around their values over HTTP/2", async () => {
  const node = programs.nodes.get(TOO_EARLY) ?? "";
  const entry = join(programs.server.folder, "bin", "calltrack-server.cjs");
  const { exitCode, stderr } = await runCli(["--version"], { program: [node, entry] });
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("this is 24.1.0") });
  expect(await run(node, ["--version"])).toMatchObject({ exitCode: 0 });
});

test("the command line caches compiled code in the user's cache folder unless disabled", async () => {
  const cache = join(folder, "cache");
  const environment = { XDG_CACHE_HOME: cache };
  await run(process.execPath, ["--version"], { environment: { ...environment, NODE_DISABLE_COMPILE_CACHE: "1" } });
  await expect(readdir(cache)).rejects.toThrow("ENOENT");
  await run(process.execPath, ["--version"], { environment });
  expect(await readdir(cache)).toStrictEqual(["calltrack"]);
});
