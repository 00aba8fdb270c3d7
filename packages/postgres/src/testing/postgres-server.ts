import type { TestProject } from "vitest/node";
import { startPostgresNode } from "./postgres-node.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the PostgreSQL server on which tests create their databases. */
    postgresUrl: string;
  }
}

const SETTINGS = ["max_connections=450", "fsync=off", "full_page_writes=off", "autovacuum=off", "max_wal_size=2GB"];

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await startTestPostgres();
  project.provide("postgresUrl", url);
  return stop;
}

/**
 * Starts a PostgreSQL server from npm. If TEST_DATABASE_URL is set, uses the server at that URL instead. The user in the URL must be allowed to
 * create databases.
 */
export async function startTestPostgres(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  const server = await startPostgresNode({ settings: SETTINGS, persistent: false });
  return { url: server.url, stop: async () => server[Symbol.asyncDispose]() };
}
