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

/** Global setup of Vitest: starts a PostgreSQL server and provides `postgresUrl` and `migratedDatabase`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await startTestPostgres();
  const migrated = `migrated_${randomBytes(8).toString("hex")}`;
  await queryOnce(url, `create database ${migrated}`);
  const DATABASE_URL = Object.assign(new URL(url), { pathname: `/${migrated}` }).href;
  const { exitCode, stderr } = await runServer(["migrate"], { DATABASE_URL });
  if (exitCode !== 0) throw new Error(`the schema could not be migrated: ${stderr}`);
  project.provide("postgresUrl", url);
  project.provide("migratedDatabase", migrated);
  return async () => {
    await queryOnce(url, `drop database ${migrated}`);
    await stop();
  };
}
