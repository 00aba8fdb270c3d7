import { rmSync } from "node:fs";
import { cp, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { findScratchFolder } from "@calltrack/postgres/testing/scratch-folder";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../database/open-database.js";
import { runServer } from "./server-process.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The directory of an embedded database with the schema and no rows, for tests to copy. Copies next to it are removed at the end. */
    migratedDirectory: string;
    /** The directory of an embedded database without the schema, also for tests to copy. */
    emptyDirectory: string;
  }
}

/** The two template directories, beside their copies. */
interface Templates {
  readonly empty: string;
  readonly migrated: string;
}

/**
 * The templates of this test run. The projects that use this set-up run in one process, but each loads its own copy of
 * this module.
 */
const run = globalThis as { calltrackTemplates?: Promise<Templates> };

/** Global setup of Vitest: creates both directories once for all tests of all projects. The end of the run deletes them and their copies. */
export default async function setup(project: TestProject): Promise<void> {
  run.calltrackTemplates ??= createTemplates();
  const { empty, migrated } = await run.calltrackTemplates;
  project.provide("emptyDirectory", empty);
  project.provide("migratedDirectory", migrated);
}

/** Creating an embedded database takes several seconds of processor time, copying one almost none. */
async function createTemplates(): Promise<Templates> {
  const folder = await mkdtemp(join(await findScratchFolder(), "calltrack-embedded-"));
  // Also after Ctrl-C, because the folder can be in memory.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const [empty, migrated] = [join(folder, "empty"), join(folder, "migrated")];
  const { ping, close } = openDatabase({ kind: "embedded", directory: empty });
  await ping();
  await close();
  await cp(empty, migrated, { recursive: true });
  const { exitCode, stderr } = await runServer(["migrate"], { DATA_DIR: migrated });
  if (exitCode !== 0) throw new Error(`the schema could not be migrated: ${stderr}`);
  return { empty, migrated };
}
