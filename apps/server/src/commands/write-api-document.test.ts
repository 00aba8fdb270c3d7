import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { expect, test } from "vitest";
import { readConfig } from "../config/config.js";
import { createApiDocument } from "../pages/api-document.js";

const MAIN = fileURLToPath(new URL("../../dist/bundle/main.js", import.meta.url));

const run = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [MAIN, "openapi", ...args], {
    env: { ...process.env, BASE_PATH: "/api" },
    maxBuffer: 16 * 1024 ** 2,
  });

test("calltrack-server openapi writes the document, with the base path, to stdout", async () => {
  const output = await run();
  expect(JSON.parse(output.stdout)).toEqual(createApiDocument(readConfig({ BASE_PATH: "/api" })));
  expect(await run("-")).toEqual(output);
});

const PATH = join(createFolder(), "openapi.json");

test("calltrack-server openapi FILE writes only to the file", async () => {
  expect((await run(PATH)).stdout).toBe("");
  expect(JSON.parse(await readFile(PATH, "utf8"))).toEqual(createApiDocument(readConfig({ BASE_PATH: "/api" })));
});
