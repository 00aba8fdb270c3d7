import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { loadEmbeddedPostgres } from "./embedded-postgres.js";
import { findFreePort } from "./find-free-port.js";
import { findScratchFolder } from "./scratch-folder.js";

/** A PostgreSQL server for one test. Disposing it stops the server and deletes its files. */
export interface PostgresNode extends AsyncDisposable {
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface NodeOptions {
  /** PostgreSQL settings, such as `fsync=off`. */
  readonly settings?: readonly string[];
  /** Whether the server keeps its files when it stops, so that it can be started again. Default: true. */
  readonly persistent?: boolean;
}

export async function startPostgresNode({
  settings = ["fsync=off"],
  persistent = true,
}: NodeOptions = {}): Promise<PostgresNode> {
  const directory = await mkdtemp(join(await findScratchFolder(), "test-postgres-"));
  const port = await findFreePort();
  const password = randomBytes(12).toString("hex");
  const Postgres = await loadEmbeddedPostgres();
  const server = new Postgres({
    databaseDir: directory,
    port,
    user: "postgres",
    password,
    persistent,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: [
      // Where no locale is set, the default is SQL_ASCII, which cannot store all texts.
      "--encoding=UTF8",
      // Tests open thousands of connections. By default, each connection would hash the password 4096 times.
      "--set=scram_iterations=1",
    ],
    postgresFlags: settings.flatMap((setting) => ["-c", setting]),
    onLog: () => {},
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    start: () => server.start(),
    stop: () => server.stop(),
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
