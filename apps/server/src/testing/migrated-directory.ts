import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { runServer } from "./server-process.js";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder of an embedded database that has the schema and no rows, for tests to copy. Copies beside it go with the test run. */
    migratedDirectory: string;
  }
}

/**
 * Makes such a folder, once for all tests: to make the files of an embedded database takes two seconds of processor time, to copy
 * them next to nothing.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "calltrack-embedded-"));
  const directory = join(folder, "migrated");
  const { exitCode, stderr } = await runServer(["migrate"], { DATA_DIR: directory });
  if (exitCode !== 0) throw new Error(`the schema could not be migrated: ${stderr}`);
  project.provide("migratedDirectory", directory);
  return () => rm(folder, { recursive: true, force: true });
}
