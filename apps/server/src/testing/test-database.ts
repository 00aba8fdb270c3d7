import { randomUUID } from "node:crypto";
import { cp, rm } from "node:fs/promises";
import { createDatabase } from "@calltrack/postgres/testing/test-database";
import { inject } from "vitest";
import type { DatabaseLocation } from "../config/database-location.js";
import { distributeTables } from "../database/distribution/distribute-tables.js";
import { migrateToLatest } from "../database/migrate.js";
import { openDatabase } from "../database/open-database.js";
import { createCitusDatabase, dropCitusDatabase } from "./citus-database.js";

/** The URL of a Citus coordinator. The tests do not start a cluster themselves; without this variable they skip Citus. */
const CITUS_URL = process.env.TEST_CITUS_URL;

export const HAS_CITUS = Boolean(CITUS_URL);

/** PostgreSQL, and Citus if a cluster is available. Tests use only these engines if the embedded engine runs the same statements as PostgreSQL. */
export const SERVER_ENGINES = ["postgres", ...(HAS_CITUS ? (["citus"] as const) : [])] as const;

/** All engines, for tests of behavior that can differ by engine. */
export const ENGINES = ["embedded", ...SERVER_ENGINES] as const;

export type Engine = "embedded" | "postgres" | "citus";

/** The location of a database on a PostgreSQL server or a Citus cluster. */
export type PostgresLocation = Extract<DatabaseLocation, { readonly kind: "postgres" }>;

export type EmbeddedLocation = Extract<DatabaseLocation, { readonly kind: "embedded" }>;

/**
 * Creates a database with the schema and no rows for one test file. The end of the test run removes embedded and PostgreSQL databases. Tests remove
 * Citus databases with `dropTestDatabase`.
 */
export async function createTestDatabase(engine: "embedded"): Promise<EmbeddedLocation>;
export async function createTestDatabase(engine: "postgres" | "citus"): Promise<PostgresLocation>;
export async function createTestDatabase(engine: Engine): Promise<DatabaseLocation>;
export async function createTestDatabase(engine: Engine): Promise<DatabaseLocation> {
  if (engine === "citus") return createDistributedDatabase();
  if (engine === "postgres") return createPostgresDatabase(inject("migratedDatabase"));
  return copyDirectory(inject("migratedDirectory"));
}

/** Creates a database without the schema. */
export async function createEmptyDatabase(engine: "postgres"): Promise<PostgresLocation>;
export async function createEmptyDatabase(engine: "embedded" | "postgres"): Promise<DatabaseLocation>;
export async function createEmptyDatabase(engine: "embedded" | "postgres"): Promise<DatabaseLocation> {
  if (engine === "postgres") return createPostgresDatabase("template1");
  return copyDirectory(inject("emptyDirectory"));
}

async function copyDirectory(template: string): Promise<EmbeddedLocation> {
  const directory = `${template}-${randomUUID()}`;
  await cp(template, directory, { recursive: true });
  return { kind: "embedded", directory };
}

async function createPostgresDatabase(template: string): Promise<PostgresLocation> {
  return { kind: "postgres", url: await createDatabase(template) };
}

/** Creates an empty database on all servers of the Citus cluster at TEST_CITUS_URL. The test must distribute the tables. */
export async function createClusterDatabase(): Promise<PostgresLocation> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  return { kind: "postgres", url: await createCitusDatabase(CITUS_URL ?? "", name) };
}

/** Removes an embedded or Citus database. Does nothing for PostgreSQL, whose test server stops at the end of the test run. */
export async function dropTestDatabase(engine: Engine, location: DatabaseLocation): Promise<void> {
  if (location.kind === "embedded") await rm(location.directory, { recursive: true, force: true });
  else if (engine === "citus") await dropCitusDatabase(location.url);
}

async function createDistributedDatabase(): Promise<PostgresLocation> {
  const location = await createClusterDatabase();
  const { kysely, close } = openDatabase(location);
  await migrateToLatest(kysely);
  await distributeTables(kysely);
  await close();
  return location;
}
