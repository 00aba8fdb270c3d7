import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** The two template directories, and the folder that contains them and their copies. */
interface Templates {
  readonly folder: string;
  readonly empty: string;
  readonly migrated: string;
}

/**
 * The templates of this test run. The projects that use this set-up run in one process, but each loads its own copy of
 * this module.
 */
const run = globalThis as { calltrackTemplates?: Promise<Templates> };

/** Global setup of Vitest: creates both directories once for all tests of all projects, and deletes them and their copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  run.calltrackTemplates ??= createTemplates();
  const { folder, empty, migrated } = await run.calltrackTemplates;
  project.provide("emptyDirectory", empty);
  project.provide("migratedDirectory", migrated);
  return () => rm(folder, { recursive: true, force: true });
}

/** Creating an embedded database takes several seconds of processor time, copying one almost none. */
async function createTemplates(): Promise<Templates> {
  const folder = await mkdtemp(join(tmpdir(), "calltrack-embedded-"));
  const [empty, migrated] = [join(folder, "empty"), join(folder, "migrated")];
  const { ping, close } = openDatabase({ kind: "embedded", directory: empty });
  await ping();
  await close();
  await cp(empty, migrated, { recursive: true });
  const { exitCode, stderr } = await runServer(["migrate"], { DATA_DIR: migrated });
  if (exitCode !== 0) throw new Error(`the schema could not be migrated: ${stderr}`);
  return { folder, empty, migrated };
}
