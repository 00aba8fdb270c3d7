import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import type { DatabaseLocation } from "../storage/database.js";

/** The engines that every behaviour is tested on. */
export const ENGINES = ["embedded", "postgres"] as const;

export type Engine = (typeof ENGINES)[number];

/** An empty database of the engine, for one test file to fill; it goes with the test run. */
export async function createTestDatabase(engine: Engine): Promise<DatabaseLocation> {
  if (engine === "embedded") return { kind: "embedded", directory: "memory://" };
  const url = new URL(inject("postgresUrl"));
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  url.pathname = `/${name}`;
  return { kind: "postgres", url: url.href };
}
