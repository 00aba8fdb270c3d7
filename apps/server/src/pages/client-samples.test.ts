import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../testing/test-server.js";

const run = promisify(execFile);

const require = createRequire(import.meta.url);

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));

const GENERATOR = join(dirname(require.resolve("openapi-typescript/package.json")), "bin", "cli.js");

const PAGE = await readFile(join(ROOT, "docs", "clients.md"), "utf8");

/** CI has grpcio's runtime modules, but not those that generate code. */
const canGeneratePython = await run("python3", ["-c", "import grpc_tools, google.api.http_pb2"]).then(
  () => true,
  () => false,
);

describe("the generated clients of docs/clients.md", () => {
  let server: TestServer;
  const folder = createFolder();

  beforeAll(async () => {
    server = await startTestServer("postgres");
    const post = async (path: string, body: unknown) => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${server.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      expect(response.status).toBe(201);
    };
    await post("/call_tracking/accounts", { account_token: "acme" });
    await post("/dni_manager/accounts/acme/phone_numbers", { phone_number: "+12223334444" });
    const flags = { is_dni: true, is_prompted: false, is_recorded: false };
    const pool = { original_number: "+12223334444", area_code: "222", size: 7, pool_type: "manual", ...flags };
    await post("/dni_manager/accounts/acme/pools", pool);
  });

  afterAll(() => server?.stop());

  /** Returns the client sample in a language, with the address of the test's server. */
  function readSample(language: string): string {
    const [, text = ""] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(PAGE) ?? [];
    return text.replaceAll("localhost:8080", `127.0.0.1:${server.port}`);
  }

  test("TypeScript lists the pools, with types from the server's own document", async () => {
    await symlink(join(ROOT, "apps", "server", "node_modules"), join(folder, "node_modules"));
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    await writeFile(join(folder, "client.ts"), readSample("ts"));
    await run(process.execPath, [GENERATOR, `${server.url}/openapi.json`, "--output", "api.ts"], { cwd: folder });
    const { stdout } = await run(process.execPath, ["client.ts"], { cwd: folder });
    expect(stdout).toMatch(/^acme [0-9a-f-]{36} 7\n$/);
  });

  test.skipIf(!canGeneratePython)("Python lists the pools, with modules from the exported protos", async () => {
    const python = join(folder, "python");
    await mkdir(python);
    const buf = join(dirname(require.resolve("@bufbuild/buf/package.json", { paths: [ROOT] })), "bin", "buf");
    await run(process.execPath, [buf, "export", "proto", "--output", join(python, "protos")], { cwd: ROOT });
    await run(
      "sh",
      ["-c", /^python -m grpc_tools[\s\S]*?(?=```)/m.exec(PAGE)?.[0].replace("python", "python3") ?? ""],
      {
        cwd: python,
      },
    );
    await writeFile(join(python, "client.py"), readSample("python"));
    const { stdout } = await run("python3", ["client.py"], { cwd: python });
    expect(stdout).toMatch(/^acme [0-9a-f-]{36} 7\n$/);
  });
});
