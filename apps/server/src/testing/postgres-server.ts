import { randomBytes } from "node:crypto";
import { startTestPostgres } from "@calltrack/postgres/testing/postgres-server";
import type { TestProject } from "vitest/node";
import { queryOnce } from "./pg-client.js";
import { runServer } from "./server-process.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The name of a template database on the server at `postgresUrl`, with the schema and no rows. */
    migratedDatabase: string;
  }
}

/** Shared by the projects of a test run, which run in one process, but load copies of this module. */
const run = globalThis as { calltrackPostgres?: Promise<TestPostgres> };

/** Global setup of Vitest: starts a PostgreSQL server for the tests of all projects, and provides `postgresUrl` and `migratedDatabase`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  run.calltrackPostgres ??= startPostgres();
  const { url, migrated, stop } = await run.calltrackPostgres;
  project.provide("postgresUrl", url);
  project.provide("migratedDatabase", migrated);
  return stop;
}

interface TestPostgres {
  readonly url: string;
  readonly migrated: string;
  /** Removes the template database and stops the server. Later calls do nothing. */
  stop(): Promise<void>;
}

async function startPostgres(): Promise<TestPostgres> {
  const { url, stop } = await startTestPostgres();
  const migrated = `migrated_${randomBytes(8).toString("hex")}`;
  await queryOnce(url, `create database ${migrated}`);
  const DATABASE_URL = Object.assign(new URL(url), { pathname: `/${migrated}` }).href;
  const { exitCode, stderr } = await runServer(["migrate"], { DATABASE_URL });
  if (exitCode !== 0) throw new Error(`the schema could not be migrated: ${stderr}`);
  let stopped: Promise<void> | undefined;
  const end = async () => {
    await queryOnce(url, `drop database ${migrated}`);
    await stop();
  };
  return { url, migrated, stop: () => (stopped ??= end()) };
}
