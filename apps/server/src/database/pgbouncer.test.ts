import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isCanceledError, runWithDeadline } from "@calltrack/postgres";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { findFreePort } from "@calltrack/postgres/testing/find-free-port";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGrpcClient } from "../testing/grpc-client.js";
import { createJsonClient } from "../testing/json-client.js";
import { queryOnce } from "../testing/pg-client.js";
import { newAccount } from "../testing/request-fields.js";
import { startServerProcess } from "../testing/server-process.js";
import { createEmptyDatabase } from "../testing/test-database.js";
import { MIGRATION_NAMES, migrateToLatest } from "./migrate.js";
import { type Database, openDatabase } from "./open-database.js";
import { prepareStatement } from "./prepared-statement.js";

const isInstalled = spawnSync("pgbouncer", ["--version"]).status === 0;

const echo = prepareStatement<{ value: string }, { value: string }>((db, parameter) =>
  db.selectNoFrom(sql<string>`${parameter("value")}::text`.as("value")),
);

const sleep = prepareStatement<{ seconds: number }, object>((db, parameter) =>
  db.selectNoFrom(sql`pg_sleep(${parameter("seconds")}::float8)`.as("slept")),
);

const insert = prepareStatement<{ value: string }, { account_token: string }>((db, parameter) =>
  db
    .insertInto("accounts")
    .values({ account_token: parameter("value") })
    .returning("account_token"),
);

/** Starts PgBouncer in transaction mode with two server connections, in front of a database. */
async function startPgBouncer(url: URL, directory: string, port: number): Promise<ChildProcess> {
  const { hostname, username, password, pathname } = url;
  const server = `host=${hostname} port=${url.port || 5432} user=${username} password=${password}`;
  const settings = `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any`;
  const pooling = "pool_mode = transaction\ndefault_pool_size = 2\nmax_client_conn = 200";
  const file = join(directory, "pgbouncer.ini");
  await writeFile(file, `[databases]\n${pathname.slice(1)} = ${server}\n[pgbouncer]\n${settings}\n${pooling}\n`);
  await chmod(directory, 0o755);
  const user = process.getuid?.() === 0 ? ["--user", "nobody"] : [];
  const bouncer = spawn("pgbouncer", [...user, file], { stdio: ["ignore", "ignore", "pipe"] });
  for await (const line of bouncer.stderr) if (String(line).includes("process up")) break;
  return bouncer;
}

/** Creates a role whose sessions use other value formats, and changes `url` to the URL for this role. */
async function createGermanRole(url: URL): Promise<void> {
  const database = url.pathname.slice(1);
  await queryOnce(url.href, `create role ${database} login superuser password 'german'`);
  await queryOnce(url.href, `alter role ${database} set datestyle = 'German'`);
  await queryOnce(url.href, `alter database ${database} set timezone = 'Asia/Tokyo'`);
  Object.assign(url, { username: database, password: "german" });
}

/** CI installs PgBouncer: if it is missing there, the tests fail instead of being skipped. */
const isSkipped = !isInstalled && process.env.CI !== "true";

describe.skipIf(isSkipped)(
  !isSkipped ? "behind PgBouncer in transaction mode" : "behind PgBouncer: skipped, as there is no pgbouncer to run",
  () => {
    let bouncer: ChildProcess;
    const directory = createFolder();
    let databases: Database[];
    let url: URL;

    beforeAll(async () => {
      url = new URL((await createEmptyDatabase("postgres")).url);
      await createGermanRole(url);
      const port = await findFreePort();
      bouncer = await startPgBouncer(url, directory, port);
      url.host = `127.0.0.1:${port}`;
      databases = [1, 2].map(() =>
        openDatabase({ kind: "postgres", url: url.href, prepare: false, statementTimeoutMs: 1000 }),
      );
    });

    afterAll(async () => {
      await Promise.all(databases.map(({ close }) => close()));
      bouncer.kill("SIGKILL");
    });

    test("servers that start at once migrate the database, and can start again", async () => {
      for (const expected of [MIGRATION_NAMES.length, 0]) {
        const applied = await Promise.all(databases.map(({ kysely }) => migrateToLatest(kysely)));
        expect(applied.flat()).toHaveLength(expected);
      }
    });

    test("statements and transactions of many clients each get their own result", async () => {
      const calls = databases.flatMap(({ db }, server) =>
        Array.from({ length: 300 }, async (_, n) => {
          const value = `${server}-${n}`;
          if (n % 3 === 0) return expect(await insert(db, { value })).toEqual([{ account_token: value }]);
          if (n % 10 === 1) {
            const transaction = db.transaction((trx) => echo(trx, { value }));
            return expect(await transaction).toEqual([{ value }]);
          }
          if (n % 10 === 2)
            return await expect(insert(db, { value: null as never })).rejects.toMatchObject({ code: "23502" });
          return expect(await echo(db, { value })).toEqual([{ value }]);
        }),
      );
      expect(await Promise.all(calls)).toHaveLength(600);
    });

    test("a server starts and reads times even if its role and database use other formats", async () => {
      const DATABASE_URL = `${url.href}?pgbouncer=true`;
      await using server = await startServerProcess({ DATABASE_URL });
      for (const api of [createJsonClient(server.url), createGrpcClient(server.port)]) {
        const created = await newAccount(api);
        expect(await api.getAccount({ id: created.id })).toEqual(created);
        api.close();
      }
    });

    test("cancels statements at the timeout and when the caller disconnects, and then continues", async () => {
      const [{ db } = expect.unreachable()] = databases;
      const caller = new AbortController();
      const results = Promise.allSettled([
        sleep(db, { seconds: 20 }),
        runWithDeadline(caller.signal, () => db.transaction((transaction) => sleep(transaction, { seconds: 20 }))),
      ]);
      setTimeout(() => caller.abort(), 300);
      for (const result of await results)
        expect(result.status === "rejected" && isCanceledError(result.reason)).toBe(true);
      expect(await echo(db, { value: "after" })).toEqual([{ value: "after" }]);
    });
  },
);
