import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { expect, onTestFinished, test } from "vitest";
import { LibraryService } from "./gen/library/v1/library_pb.js";
import * as exports from "./index.js";

const PACKAGE = join(import.meta.dirname, "..");
const README = await readFile(join(PACKAGE, "README.md"), "utf8");
const [SERVER = "", RPC = "", FETCH = "", RULES = "", PARTS = ""] = Array.from(
  README.matchAll(/```ts\n(.*?)```/gs),
  ([, code]) => code,
);
const run = promisify(execFile);

/** Writes an example where its imports lead to the built package and to the test library's generated code. */
async function writeExample(code: string): Promise<string> {
  const folder = join(PACKAGE, "dist");
  const scratch = await mkdtemp(join(folder, "readme.test."));
  onTestFinished(() => rm(scratch, { recursive: true }));
  const file = join(scratch, "example.ts");
  await writeFile(file, code.replace('"./gen/', '"../gen/'));
  return file;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

test("the example in ten lines serves JSON paths and Connect on one port", async () => {
  const port = await findFreePort();
  const file = await writeExample(`${SERVER.replace("8080", `${port}, () => console.log("ready")`)}`);
  const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  await once(child.stdout, "data");
  const shelf = { name: "shelves/7", theme: "the sea" };
  expect(await (await fetch(`http://127.0.0.1:${port}/v1/shelves/7`)).json()).toEqual(shelf);
  const call = { method: "POST", headers: { "content-type": "application/json" }, body: '{"name": "shelves/7"}' };
  const response = await fetch(`http://127.0.0.1:${port}/library.v1.LibraryService/GetShelf`, call);
  expect(await response.json()).toEqual(shelf);
});

test("the example of plain calls serves Connect on HTTP/1.1 and HTTP/2, and gRPC", async () => {
  const ports = [await findFreePort(), await findFreePort()];
  const [http1 = "", http2 = ""] = ports.map((port) => `http://127.0.0.1:${port}`);
  const code = RPC.replace("8080", `${ports[0]}`).replace("8081", `${ports[1]}, () => console.log("ready")`);
  const child = spawn(process.execPath, [await writeExample(code)], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  await once(child.stdout, "data");
  for (const transport of [
    createConnectTransport({ baseUrl: http1, httpVersion: "1.1" }),
    createConnectTransport({ baseUrl: http1, httpVersion: "1.1", useHttpGet: true }),
    createConnectTransport({ baseUrl: http2, httpVersion: "2", useHttpGet: true }),
    createGrpcTransport({ baseUrl: http2 }),
  ]) {
    const shelf = await createClient(LibraryService, transport).getShelf({ name: "shelves/7" });
    expect(shelf).toMatchObject({ name: "shelves/7", theme: "the sea" });
  }
});

test("the example for the Fetch standard answers a Request", async () => {
  const file = await writeExample(FETCH);
  const script = `
    const { default: server } = await import(process.argv[1]);
    const response = await server.fetch(new Request("https://example.com/v1/shelves/7"));
    console.log(await response.text());`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script, file]);
  expect(stdout.trim()).toBe('{"name":"shelves/7","theme":"the sea"}');
});

test.each([
  ["rules beside the protos", RULES],
  ["the parts", PARTS],
])("the example of %s prints what its comment says", async (_, code) => {
  const { stdout } = await run(process.execPath, [await writeExample(code)]);
  expect(code).toContain(`// ${stdout.trim()}`);
});

test.each([
  ["transcoder-options.ts", "TranscoderOptions"],
  ["rules/read-http-rules.ts", "RuleOptions"],
  ["decode/decode-options.ts", "DecodeOptions"],
  ["encode/encode-options.ts", "EncodeOptions"],
  ["responses/error-response.ts", "ErrorOptions"],
  ["responses/cors.ts", "CorsOptions"],
  ["runtimes/node-handler.ts", "NodeHandlerOptions"],
  ["rpc/rpc-options.ts", "RpcOptions"],
  ["runtimes/fetch-handler.ts", "FetchHandlerOptions"],
  ["openapi/openapi-options.ts", "OpenApiOptions"],
])("every option of %s %s is documented", async (file, name) => {
  const source = await readFile(join(import.meta.dirname, file), "utf8");
  const [, body = ""] = new RegExp(`export interface ${name}[^{]*\\{\n(.*?)\n\\}`, "s").exec(source) ?? [];
  const options = Array.from(body.matchAll(/^ {2}readonly (\w+)/gm), ([, option]) => option);
  expect(options.length).toBeGreaterThan(0);
  expect(options.filter((option) => !README.includes(`| \`${option}\` |`))).toEqual([]);
});

test("every export is documented", () => {
  expect(Object.keys(exports).filter((name) => !README.includes(name))).toEqual([]);
});
