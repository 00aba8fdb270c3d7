import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CliResult, runCli } from "./testing/cli.js";
import { type InstalledProgram, installProgram } from "./testing/installed-program.js";
import { startServer, type TestServer } from "./testing/server.js";

const MANIFEST = JSON.parse(await readFile(join(import.meta.dirname, "..", "package.json"), "utf8"));

let program: InstalledProgram;
let server: TestServer;
beforeAll(async () => {
  [program, server] = await Promise.all([installProgram(), startServer()]);
});
afterAll(async () => {
  await server?.stop();
  await program?.[Symbol.asyncDispose]();
});

function run(node: string, args: readonly string[], environment = {}): Promise<CliResult> {
  return runCli(args, { server: server.url, environment, program: [node, program.entry] });
}

async function readInstalled(file: string): Promise<string> {
  return await readFile(join(program.entry, "..", "..", file), "utf8");
}

describe("the tarball", () => {
  test("contains only the files that users need", () => {
    expect(program.files.toSorted()).toStrictEqual([
      ...["LICENSE", "README.md", "bin/calltrack.cjs"],
      ...["dist/THIRD-PARTY-NOTICES", "dist/calltrack.cjs", "package.json"],
    ]);
  });

  test("has no dependencies", async () => {
    const { dependencies, devDependencies, engines } = JSON.parse(await readInstalled("package.json"));
    expect({ dependencies, devDependencies, engines }).toEqual({ engines: MANIFEST.engines });
  });

  test("contains the licence of each bundled package", async () => {
    const notices = await readInstalled("dist/THIRD-PARTY-NOTICES");
    const names = Object.keys(MANIFEST.dependencies).filter((name) => !name.startsWith("@calltrack/"));
    for (const name of names) expect(notices).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, "m"));
    expect(notices).toContain("Redistributions in binary form must reproduce the above\ncopyright notice");
  });

  test("does not change the workspace's manifest", async () => {
    expect(JSON.parse(await readFile(join(import.meta.dirname, "..", "package.json"), "utf8"))).toStrictEqual(MANIFEST);
    expect(Object.keys(MANIFEST.dependencies)).toContain("commander");
  });
});

const oldest = MANIFEST.engines.node.replace(">=", "");

test.each([oldest, "24"])("runs on Node.js %s", async (version) => {
  const node = await program.installNode(version);
  expect(await run(node, ["--version"])).toStrictEqual({ exitCode: 0, stdout: "0.1.0\n", stderr: "" });
  const created = await run(node, ["accounts", "create", `node-${version}`, "--output", "json"]);
  expect({ ...created, stdout: JSON.parse(created.stdout) }).toMatchObject({
    exitCode: 0,
    stdout: { account_token: `node-${version}` },
  });
  const missing = await run(node, ["numbers", "import", "acme", "nowhere.csv"]);
  expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("no such file or directory") });
});

test("reports an unsupported Node.js version in one line", async () => {
  const { exitCode, stdout, stderr } = await run(await program.installNode("20"), ["--version"]);
  expect({ exitCode, stdout }).toStrictEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toMatch(new RegExp(`^error: calltrack needs Node.js ${oldest} or newer, and this is 20\\.[\\d.]+\n$`));
});

test("caches compiled code in the user's cache folder unless disabled", async () => {
  const folder = join(program.folder, "cache");
  const environment = { XDG_CACHE_HOME: folder };
  await run(process.execPath, ["--version"], { ...environment, NODE_DISABLE_COMPILE_CACHE: "1" });
  await expect(readdir(folder)).rejects.toThrow("ENOENT");
  await run(process.execPath, ["--version"], environment);
  expect(await readdir(folder)).toStrictEqual(["calltrack"]);
});
