import { randomUUID } from "node:crypto";
import { inject } from "vitest";
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

/** Makes such a place with an empty database, which lacks the schema. */
export async function createEmptyDataLocation(engine: "embedded" | "postgres"): Promise<DataLocation> {
  return dataLocationOf(engine, await createEmptyDatabase(engine));
}

/** Names a folder that does not exist yet: the first server to use it makes the database, which takes seconds of processor time. */
export function createNewDataLocation(): DataLocation {
  return dataLocationOf("embedded", { kind: "embedded", directory: `${inject("migratedDirectory")}-${randomUUID()}` });
}

function dataLocationOf(engine: Engine, database: DatabaseLocation): DataLocation {
  return {
    environment: database.kind === "postgres" ? { DATABASE_URL: database.url } : { DATA_DIR: database.directory },
    [Symbol.asyncDispose]: () => dropTestDatabase(engine, database),
  };
}
