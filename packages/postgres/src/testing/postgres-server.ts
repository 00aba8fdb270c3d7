import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { loadEmbeddedPostgres } from "./embedded-postgres.js";
import { findFreePort } from "./find-free-port.js";
import { findScratchFolder } from "./scratch-folder.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the PostgreSQL server on which tests create their databases. */
    postgresUrl: string;
  }
}

/** Settings for hundreds of short-lived databases. */
const SETTINGS = ["max_connections=300", "fsync=off", "full_page_writes=off", "autovacuum=off", "max_wal_size=2GB"];

/** The global setup of Vitest, which provides `postgresUrl` to tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await startTestPostgres();
  project.provide("postgresUrl", url);
  return stop;
}

/**
 * Starts a PostgreSQL server from its npm package, or uses the server at TEST_DATABASE_URL. The user in that URL must be allowed
 * to create databases.
 */
export async function startTestPostgres(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  const databaseDir = await mkdtemp(join(await findScratchFolder(), "test-postgres-"));
  const password = randomBytes(12).toString("hex");
  const port = await findFreePort();
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
