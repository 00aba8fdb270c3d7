import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "./server-process.js";
import { createTestDatabase, type Engine } from "./test-database.js";

/** An empty place for the data of server processes, which outlives them. Disposing of it removes its files. */
export interface DataLocation extends AsyncDisposable {
  /** What tells a server of it. */
  readonly environment: Environment;
}

/** Makes such a place for the engine: a database, or a folder that is not there yet. */
export async function createDataLocation(engine: Engine): Promise<DataLocation> {
  const database = await createTestDatabase(engine);
  if (database.kind === "postgres") {
    // The database goes with the test run.
    return { environment: { DATABASE_URL: database.url }, [Symbol.asyncDispose]: async () => {} };
  }
  const folder = await mkdtemp(join(tmpdir(), "calltrack-data-"));
  return {
    environment: { DATA_DIR: join(folder, "data") },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
