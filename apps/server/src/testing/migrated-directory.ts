import { rmSync } from "node:fs";
import { cp, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { findScratchFolder } from "@calltrack/postgres/testing/scratch-folder";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../database/open-database.js";
import { runServer } from "./server-process.js";

declare module "vitest" {
  interface ProvidedContext {
    /**
     * The directory of an embedded database with the schema and no rows, for tests to copy. Copies in its parent folder are removed at the end of the
     * test run.
     */
    migratedDirectory: string;
    /** The directory of an embedded database without the schema, for tests to copy. */
    emptyDirectory: string;
  }
}

interface Templates {
  readonly empty: string;
  readonly migrated: string;
}

/**
 * The template databases of this test run. They are global, because all Vitest projects run in one process, but each project loads its own copy of
 * this module.
 */
const run = globalThis as { calltrackTemplates?: Promise<Templates> };

/**
 * Global setup of Vitest: creates the template databases once for the tests of all projects. At the end of the test run, the templates and their
 * copies are deleted.
 */
export default async function setup(project: TestProject): Promise<void> {
  run.calltrackTemplates ??= createTemplates();
  const { empty, migrated } = await run.calltrackTemplates;
  project.provide("emptyDirectory", empty);
  project.provide("migratedDirectory", migrated);
}

/** Creates the template databases. Tests copy a template, because the creation of a database takes more than a second of processor time. */
async function createTemplates(): Promise<Templates> {
  const folder = await mkdtemp(join(await findScratchFolder(), "calltrack-embedded-"));
  // An exit handler removes the folder even after Ctrl-C, because the folder can be in a file system in memory.
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
