import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

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
