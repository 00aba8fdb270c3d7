import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readConfig } from "../config/config.js";
import { createApiDocument } from "../pages/api-document.js";

const MAIN = fileURLToPath(new URL("../../dist/bundle/main.js", import.meta.url));

const run = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [MAIN, "openapi", ...args], { env: { ...process.env, BASE_PATH: "/api" } });

test("calltrack-server openapi writes the document, with the base path, to stdout", async () => {
  expect(JSON.parse((await run()).stdout)).toEqual(createApiDocument(readConfig({ BASE_PATH: "/api" })));
});

test("calltrack-server openapi FILE writes only to the file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "calltrack-openapi-"));
  try {
    const path = join(folder, "openapi.json");
    expect((await run(path)).stdout).toBe("");
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual(createApiDocument(readConfig({ BASE_PATH: "/api" })));
  } finally {
    await rm(folder, { recursive: true });
  }
});
