import { rmSync } from "node:fs";
import { cp, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { findScratchFolder } from "@calltrack/postgres/testing/scratch-folder";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../database/open-database.js";
import { runServer } from "./server-process.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The directory of an embedded database with the schema and no rows, for tests to copy. The end of the run removes copies beside it. */
    migratedDirectory: string;
    /** The directory of an embedded database without the schema, for tests to copy. */
    emptyDirectory: string;
  }
}

interface Templates {
  readonly empty: string;
  readonly migrated: string;
}

/** The templates of this test run. All projects with this setup run in one process, but each loads its own copy of this module. */
const run = globalThis as { calltrackTemplates?: Promise<Templates> };

/** Global setup of Vitest: creates both directories once for all tests in all projects. The end of the run deletes them and their copies. */
export default async function setup(project: TestProject): Promise<void> {
  run.calltrackTemplates ??= createTemplates();
  const { empty, migrated } = await run.calltrackTemplates;
  project.provide("emptyDirectory", empty);
  project.provide("migratedDirectory", migrated);
}

/** Tests copy a database, because creating one takes several seconds of processor time. */
async function createTemplates(): Promise<Templates> {
  const folder = await mkdtemp(join(await findScratchFolder(), "calltrack-embedded-"));
  // On exit, so that Ctrl-C removes the folder, too: it can be in memory.
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
