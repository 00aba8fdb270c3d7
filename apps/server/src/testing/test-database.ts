import { randomUUID } from "node:crypto";
import { cp, rm } from "node:fs/promises";
import pg from "pg";
import { inject } from "vitest";
import type { DatabaseLocation } from "../config/database-location.js";
import { distribute } from "../database/distribution/distribute.js";
import { migrateToLatest } from "../database/migrate.js";
import { openDatabase } from "../database/open-database.js";
import { createCitusDatabase, dropCitusDatabase } from "./citus-database.js";

/** The URL of a Citus coordinator. The tests do not start a cluster themselves; without this variable they skip Citus. */
const CITUS_URL = process.env.TEST_CITUS_URL;

/** Whether a Citus cluster is available. */
export const HAS_CITUS = Boolean(CITUS_URL);

/** The engines that behaviour tests run on. */
export const ENGINES = ["embedded", "postgres", ...(HAS_CITUS ? (["citus"] as const) : [])] as const;

export type Engine = "embedded" | "postgres" | "citus";

/**
 * Creates a database with the schema and no rows for one test file. The end of the test run removes it, except on Citus: call
 * `dropTestDatabase`.
 */
export async function createTestDatabase(engine: Engine): Promise<DatabaseLocation> {
  if (engine === "citus") return createDistributedDatabase();
  if (engine === "postgres") return createPostgresDatabase(inject("migratedDatabase"));
  return copyDirectory(inject("migratedDirectory"));
}

/** Creates a database without the schema. */
export async function createEmptyDatabase(engine: "embedded" | "postgres"): Promise<DatabaseLocation> {
  if (engine === "postgres") return createPostgresDatabase("template1");
  return copyDirectory(inject("emptyDirectory"));
}

async function copyDirectory(template: string): Promise<DatabaseLocation> {
  const directory = `${template}-${randomUUID()}`;
  await cp(template, directory, { recursive: true });
  return { kind: "embedded", directory };
}

async function createPostgresDatabase(template: string): Promise<DatabaseLocation> {
  const url = new URL(inject("postgresUrl"));
  const name = newName();
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`create database ${name} template ${template}`);
  await client.end();
  url.pathname = `/${name}`;
  return { kind: "postgres", url: url.href };
}

/** Creates an empty database on all servers of the cluster at TEST_CITUS_URL. The test distributes it. */
export async function createClusterDatabase(): Promise<DatabaseLocation & { readonly kind: "postgres" }> {
  return { kind: "postgres", url: await createCitusDatabase(CITUS_URL ?? "", newName()) };
}

/** Removes an embedded or Citus database. Does nothing for PostgreSQL, whose test server stops at the end of the test run. */
export async function dropTestDatabase(engine: Engine, location: DatabaseLocation): Promise<void> {
  if (location.kind === "embedded") await rm(location.directory, { recursive: true, force: true });
  else if (engine === "citus") await dropCitusDatabase(location.url);
}

async function createDistributedDatabase(): Promise<DatabaseLocation> {
  const location = await createClusterDatabase();
  const { kysely, close } = openDatabase(location);
  await migrateToLatest(kysely);
  await distribute(kysely);
  await close();
  return location;
}

function newName(): string {
  return `test_${randomUUID().replaceAll("-", "")}`;
}
