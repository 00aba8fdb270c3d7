import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, inject } from "vitest";
import { openPostgres, type PostgresDatabase, type PostgresOptions } from "../open-postgres.js";

/** Creates a database for a test file, empty by default, and returns its URL. The database exists until the server is removed after the test run. */
export async function createDatabase(template = "template1"): Promise<string> {
  const url = new URL(inject("postgresUrl"));
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`create database ${name} template ${template}`);
  await client.end();
  url.pathname = `/${name}`;
  return url.href;
}

/** Connects to a database. The connection closes after the tests of the current test file or `describe` block. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  afterAll(() => client.end());
  return client;
}

/** Opens a database. It is closed after the tests of the current test file or `describe` block. */
export function openDatabase(options: PostgresOptions): PostgresDatabase<unknown> {
  const database = openPostgres<unknown>(options);
  afterAll(() => database.close());
  return database;
}
