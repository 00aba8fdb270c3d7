import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, onTestFinished, test } from "vitest";
import * as main from "./index.js";

const PACKAGE = join(import.meta.dirname, "..");
const README = await readFile(join(PACKAGE, "README.md"), "utf8");
const run = promisify(execFile);

test("the example type-checks, and runs on any database", async () => {
  const [, example = ""] = /```ts\n(.*?)```/s.exec(README) ?? [];
  // The folder is inside the package, so that the name `@calltrack/postgres` resolves to this build.
  await mkdir(join(PACKAGE, ".vitest"), { recursive: true });
  const folder = await mkdtemp(join(PACKAGE, ".vitest", "readme-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "example.ts");
  await writeFile(file, example);
  const config = join(folder, "tsconfig.json");
  const extended = join(PACKAGE, "..", "..", "tsconfig.base.json");
  const compilerOptions = { composite: false, noEmit: true, rootDir: folder };
  await writeFile(config, JSON.stringify({ extends: extended, compilerOptions, files: ["example.ts"] }));
  const tsc = join(PACKAGE, "..", "..", "node_modules", ".bin", "tsc");
  const checked = await run(tsc, ["--project", config]).catch((error) => error);
  expect(checked.stdout).toBe("");
  const env = { ...process.env, DATABASE_URL: inject("postgresUrl") };
  const { stdout } = await run(process.execPath, [file], { env });
  expect(stdout).toMatch(/^jit: (on|off) port: \d+\nsettings of the planner: \d+\n$/);
});

test("every option is documented", async () => {
  const source = await readFile(join(import.meta.dirname, "open-postgres.ts"), "utf8");
  const [, body = ""] = /export interface PostgresOptions \{\n(.*?)\n\}/s.exec(source) ?? [];
  const options = Array.from(body.matchAll(/^ {2}readonly (\w+)/gm), ([, option]) => option);
  expect(options.length).toBeGreaterThan(0);
  expect(options.filter((option) => !README.includes(`| \`${option}\` |`))).toEqual([]);
});

test("every export is documented", () => {
  expect(Object.keys(main).filter((name) => !README.includes(name))).toEqual([]);
});
