import type { DatabaseLocation } from "../config/database-location.js";
import type { Environment } from "./server-process.js";
import { createEmptyDatabase, createTestDatabase, dropTestDatabase, type Engine } from "./test-database.js";

/** A place for the data of server processes, which outlives them. Disposing of it removes its files. */
export interface DataLocation extends AsyncDisposable {
  /** What tells a server of it. */
  readonly environment: Environment;
}

/** Makes such a place for the engine, in which the schema is, but no rows. */
export async function createDataLocation(engine: Engine): Promise<DataLocation> {
  return dataLocationOf(engine, await createTestDatabase(engine));
}

/** Makes such a place with nothing in it: a database, or a folder that is not there yet. */
export async function createEmptyDataLocation(engine: "embedded" | "postgres"): Promise<DataLocation> {
  return dataLocationOf(engine, await createEmptyDatabase(engine));
}

function dataLocationOf(engine: Engine, database: DatabaseLocation): DataLocation {
  return {
    environment: database.kind === "postgres" ? { DATABASE_URL: database.url } : { DATA_DIR: database.directory },
    [Symbol.asyncDispose]: () => dropTestDatabase(engine, database),
  };
}
