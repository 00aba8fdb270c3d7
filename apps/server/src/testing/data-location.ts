import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import type { DatabaseLocation } from "../config/database-location.js";
import type { Environment } from "./server-process.js";
import { createEmptyDatabase, createTestDatabase, dropTestDatabase, type Engine } from "./test-database.js";

/** A database for server processes. The database outlives the processes. Disposal removes the database. */
export interface DataLocation extends AsyncDisposable {
  /** The environment variables that make a server use the database. */
  readonly environment: Environment;
}

/** Creates a database with the schema and no rows. */
export async function createDataLocation(engine: Engine): Promise<DataLocation> {
  return dataLocationOf(engine, await createTestDatabase(engine));
}

/** Creates an empty database without the schema. */
export async function createEmptyDataLocation(engine: "embedded" | "postgres"): Promise<DataLocation> {
  return dataLocationOf(engine, await createEmptyDatabase(engine));
}

/** Returns a data directory that does not exist yet. The first server creates the database, which takes more than a second of processor time. */
export function createNewDataLocation(): DataLocation {
  return dataLocationOf("embedded", { kind: "embedded", directory: `${inject("migratedDirectory")}-${randomUUID()}` });
}

/** The key of all databases, so that a server can decrypt the credentials in a dump of another database. */
const SECRETS_KEY = Buffer.alloc(32, 1).toString("base64");

function dataLocationOf(engine: Engine, database: DatabaseLocation): DataLocation {
  return {
    environment: {
      ...(database.kind === "postgres" ? { DATABASE_URL: database.url } : { DATA_DIR: database.directory }),
      SECRETS_KEY,
    },
    [Symbol.asyncDispose]: () => dropTestDatabase(engine, database),
  };
}
