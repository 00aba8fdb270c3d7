import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { loadEmbeddedPostgres } from "./embedded-postgres.js";
import { freePort } from "./free-port.js";
import { runServer } from "./server-process.js";

declare module "vitest" {
  interface ProvidedContext {
    /** A PostgreSQL server on which tests make databases of their own. */
    postgresUrl: string;
    /** The name of a database on it that has the schema and no rows, to be a template. */
    migratedDatabase: string;
  }
}

/** How the server that the tests bring runs: they make a hundred databases, for a few minutes. */
const SETTINGS = ["max_connections=300", "fsync=off", "full_page_writes=off", "autovacuum=off", "max_wal_size=8GB"];

/**
 * Brings a real PostgreSQL server for the tests, from its npm package: or uses the one at TEST_DATABASE_URL, whose user must
 * be allowed to create databases.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await bringServer();
  const migrated = `migrated_${randomBytes(8).toString("hex")}`;
  await query(url, `create database ${migrated}`);
  const DATABASE_URL = Object.assign(new URL(url), { pathname: `/${migrated}` }).href;
  const { exitCode, stderr } = await runServer(["migrate"], { DATABASE_URL });
  if (exitCode !== 0) throw new Error(`the schema could not be migrated: ${stderr}`);
  project.provide("postgresUrl", url);
  project.provide("migratedDatabase", migrated);
  return async () => {
    await query(url, `drop database ${migrated}`);
    await stop();
  };
}

async function bringServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  const databaseDir = await mkdtemp(join(tmpdir(), "calltrack-postgres-"));
  const password = randomBytes(12).toString("hex");
  const port = await freePort();
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: SETTINGS.flatMap((setting) => ["-c", setting]),
    onLog: () => {},
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      await rm(databaseDir, { recursive: true, force: true });
    },
  };
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}
