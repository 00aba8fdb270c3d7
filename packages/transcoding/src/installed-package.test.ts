import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:http2";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { LibraryService } from "./gen/library/v1/library_pb.js";
import { type InstalledProject, installPackage } from "./testing/installed-package.js";

const PACKAGE = join(import.meta.dirname, "..");
const README = await readFile(join(PACKAGE, "README.md"), "utf8");
const TSC = join(PACKAGE, "..", "..", "node_modules", ".bin", "tsc");
const EXAMPLES = Array.from(README.matchAll(/```ts\n(.*?)```/gs), ([, code]) => code);
const [SERVER = "", RPC = "", RULES = "", PARTS = ""] = EXAMPLES;
const run = promisify(execFile);

let project: InstalledProject;

beforeAll(async () => {
  project = await installPackage();
});

afterAll(() => project?.[Symbol.asyncDispose]());

/** Writes an example from the README to a file in the installed project, and returns the path of the file. */
async function writeExample(code: string): Promise<string> {
  const folder = await mkdtemp(join(project.folder, "example."));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "example.ts");
  await writeFile(file, code.replace('"./gen/', '"../gen/'));
  return file;
}

test("every example of the README is tested below", () => {
  expect(EXAMPLES).toHaveLength(4);
});

test("the tarball contains the files that users need, and no others", () => {
  const kinds = new Set(
    project.files.map((path) => path.replace(/^dist\/.*(\.proto|\.d\.ts|\.js|\.js\.map)$/, "dist/**$1")),
  );
  expect([...kinds].sort()).toEqual([
    ...["CHANGELOG.md", "LICENSE", "README.md"],
    ...["dist/**.d.ts", "dist/**.js", "dist/**.js.map", "dist/**.proto", "package.json"],
  ]);
  expect(project.files.filter((path) => /\.test\.|testing|library/.test(path))).toEqual([]);
});

test("only the Node.js entry point needs the types of Node.js", async () => {
  const entries = ["", "/openapi", "/rpc"].map(
    (entry, index) => `import * as e${index} from "@calltrack/transcoding${entry}";`,
  );
  await writeFile(join(project.folder, "entries.ts"), `${entries.join("\n")}\nconsole.log(e0, e1, e2);\n`);
  const compilerOptions = { strict: true, noEmit: true, module: "nodenext", lib: ["es2024", "dom"], types: [] };
  const config = join(project.folder, "tsconfig.json");
  await writeFile(config, JSON.stringify({ compilerOptions, files: ["entries.ts"] }));
  const { stdout } = await run(TSC, ["--project", config]).catch((error) => error);
  expect(stdout).toBe("");
});

/** Starts an example with free ports in place of its own. Returns these ports in order. The example stops when the test ends. */
async function serveExample(code: string, ports: readonly string[]): Promise<number[]> {
  const listening = (port: string) => `0, function () { console.log(${port}, this.address().port); }`;
  const file = await writeExample(ports.reduce((text, port) => text.replace(port, listening(port)), code));
  const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const found = new Map<string, number>();
  for await (const line of createInterface(child.stdout)) {
    const [port = "", actual] = line.split(" ");
    found.set(port, Number(actual));
    if (found.size === ports.length) return ports.map((each) => found.get(each) ?? 0);
  }
  throw new Error("the example ended");
}

test("the ten-line example serves JSON paths and Connect on one port", async () => {
  const [port] = await serveExample(SERVER, ["8080"]);
  const shelf = { name: "shelves/7", theme: "the sea" };
  expect(await (await fetch(`http://127.0.0.1:${port}/v1/shelves/7`)).json()).toEqual(shelf);
  const call = { method: "POST", headers: { "content-type": "application/json" }, body: '{"name": "shelves/7"}' };
  const response = await fetch(`http://127.0.0.1:${port}/library.v1.LibraryService/GetShelf`, call);
  expect(await response.json()).toEqual(shelf);
});

test("the example of RPCs serves Connect on HTTP/1.1 and HTTP/2, gRPC and JSON paths", async () => {
  const ports = await serveExample(RPC, ["8080", "8081"]);
  const [http1 = "", http2 = ""] = ports.map((port) => `http://127.0.0.1:${port}`);
  for (const transport of [
    createConnectTransport({ baseUrl: http1, httpVersion: "1.1" }),
    createConnectTransport({ baseUrl: http1, httpVersion: "1.1", useHttpGet: true }),
    createConnectTransport({ baseUrl: http2, httpVersion: "2", useHttpGet: true }),
    createGrpcTransport({ baseUrl: http2 }),
  ]) {
    const shelf = await createClient(LibraryService, transport).getShelf({ name: "shelves/7" });
    expect(shelf).toMatchObject({ name: "shelves/7", theme: "the sea" });
  }
  const shelf = '{"name":"shelves/7","theme":"the sea"}';
  expect(await (await fetch(`${http1}/v1/shelves/7`)).text()).toEqual(shelf);
  const session = connect(http2);
  onTestFinished(() => session.destroy());
  // Sends two requests: the second request shows that the first JSON request did not crash the server.
  for (let turn = 0; turn < 2; turn++) expect(await text(session.request({ ":path": "/v1/shelves/7" }))).toBe(shelf);
});

test.each([
  ["rules outside the protos", RULES],
  ["the parts", PARTS],
])("the example of %s prints the output in its comment", async (_, code) => {
  const { stdout } = await run(process.execPath, [await writeExample(code)]);
  expect(code).toContain(`// ${stdout.trim()}`);
});
