// Runs a PostgreSQL server until the parent process exits, and sends the parent the URL of a database. The variable KEEPER_PRIMARY makes the server
// a standby of another server, and KEEPER_SETTINGS adds settings. The message "crash" stops the server immediately, and "start" starts the server
// again. The reply to each message is "done".
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { loadEmbeddedPostgres } from "../packages/postgres/dist/testing/embedded-postgres.js";
import { findFreePort } from "../packages/postgres/dist/testing/find-free-port.js";
import { copyPrimaryFiles } from "./standby-copy.ts";

const { KEEPER_PRIMARY: primary = "", KEEPER_SETTINGS: settings = "" } = process.env;
const databaseDir = await mkdtemp(join(tmpdir(), "calltrack-benchmark-"));
const password = primary === "" ? randomBytes(12).toString("hex") : new URL(primary).password;
const port = await findFreePort();
const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
const EmbeddedPostgres = await loadEmbeddedPostgres();
const server = new EmbeddedPostgres({
  databaseDir,
  port,
  user: "postgres",
  password,
  persistent: false,
  createPostgresUser: process.getuid?.() === 0,
  // Where no locale is set, the default is SQL_ASCII, which cannot store all texts.
  initdbFlags: ["--encoding=UTF8"],
  postgresFlags: settings.split(" ").flatMap((setting) => (setting === "" ? [] : ["-c", setting])),
  onLog: () => {},
});

// Replaces the listeners of embedded-postgres. They would end the process on a signal, even while the database's files are being created.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.removeAllListeners(signal).on(signal, stop);
// Emitted when the parent process has exited.
process.on("disconnect", stop);

const started = start();
await started;
if (process.connected) process.send?.(url);

process.on("message", async (command: "crash" | "start") => {
  await (command === "crash" ? crash() : run());
  process.send?.("done");
});

async function start(): Promise<void> {
  if (primary === "") await server.initialise();
  else await copyPrimaryFiles(primary, databaseDir);
  await run();
}

async function run(): Promise<void> {
  // `server.start` waits until the server accepts writes, which a standby never does.
  const running = server.start();
  while (!(await Promise.race([isUp(), running.then(() => true)]))) await pause(20);
}

/** Stops the server like `pg_ctl stop -m immediate`. */
async function crash(): Promise<void> {
  const owner = server as unknown as { process?: ChildProcess };
  const ended = once(owner.process as ChildProcess, "exit");
  owner.process?.kill("SIGQUIT");
  await ended;
  // Otherwise, `server.stop` would wait forever for the exit of the process.
  delete owner.process;
}

async function isUp(): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

async function stop(): Promise<void> {
  await started.catch(() => {});
  await server.stop();
  await rm(databaseDir, { recursive: true, force: true });
  process.exit(0);
}
