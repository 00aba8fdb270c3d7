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

/**
 * Global setup of Vitest: creates both directories once for all tests. Creating an embedded database takes several seconds of
 * processor time, copying one almost none.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "calltrack-embedded-"));
  const [empty, directory] = [join(folder, "empty"), join(folder, "migrated")];
  const { ping, close } = openDatabase({ kind: "embedded", directory: empty });
  await ping();
  await close();
  await cp(empty, directory, { recursive: true });
  const { exitCode, stderr } = await runServer(["migrate"], { DATA_DIR: directory });
  if (exitCode !== 0) throw new Error(`the schema could not be migrated: ${stderr}`);
  project.provide("emptyDirectory", empty);
  project.provide("migratedDirectory", directory);
  return () => rm(folder, { recursive: true, force: true });
}
