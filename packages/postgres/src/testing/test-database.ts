import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, inject } from "vitest";
import { openPostgres, type PostgresDatabase, type PostgresOptions } from "../open-postgres.js";

/** Creates an empty database for a test file, and returns its URL. It is removed with the server after the test run. */
export async function createDatabase(): Promise<string> {
  const url = new URL(inject("postgresUrl"));
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  url.pathname = `/${name}`;
  return url.href;
}

/** Connects to a database, until the tests of the file or of the `describe` block have ended. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  afterAll(() => client.end());
  return client;
}

/** Opens a database, which is closed after the tests of the file or of the `describe` block. */
export function openDatabase(options: PostgresOptions): PostgresDatabase<unknown> {
  const database = openPostgres<unknown>(options);
  afterAll(() => database.close());
  return database;
}
