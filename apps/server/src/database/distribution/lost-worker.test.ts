import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient, RequestFields } from "../../testing/api-client.js";
import { PROTOCOLS, type Protocol } from "../../testing/behavior.js";
import { createGrpcClient } from "../../testing/grpc-client.js";
import { createJsonClient } from "../../testing/json-client.js";
import { connectToPostgres, queryOnce } from "../../testing/pg-client.js";
import { type RefusedError, requireRefusal } from "../../testing/refusal.js";
import {
  createAutomanagedPoolFields,
  getPoolKeyFields,
  newAccountWithNumber,
  newPool,
  uniqueToken,
} from "../../testing/request-fields.js";
import { createTestDatabase, dropTestDatabase, ENGINES, type PostgresLocation } from "../../testing/test-database.js";
import { serveDatabase, startTestServer, type TestServer } from "../../testing/test-server.js";

type Failure = readonly [state: string, message: string];

const REFUSED = "connection to the remote node calltrack@10.0.0.2:5432 failed with the following error: ";

/** Errors of a coordinator that could not connect to a worker, or that first has to commit an earlier write. The statement was not run. */
const NOT_REACHED: readonly Failure[] = [
  ["08006", `${REFUSED}Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?`],
  ["08006", `${REFUSED}FATAL:  the database system is starting up`],
  ["08006", `${REFUSED}FATAL:  the database system is in recovery mode`],
  ["08006", `${REFUSED}FATAL:  sorry, too many clients already`],
  ["08006", `${REFUSED}No route to host`],
  ["08006", "could not establish any connections to the node 10.0.0.2:5432 after 30000 ms"],
  ["08006", "connection establishment for node 10.0.0.2:5432 failed"],
  ["XX000", "could not connect to any active placements"],
  ["23503", 'insert or update on table "pools_102222" violates foreign key constraint "pools_account_id_fkey_102222"'],
];

/** Errors of a coordinator that lost an established connection to a worker. The worker may have run the statement. */
const LOST: readonly Failure[] = [
  ["XX000", "failure on connection marked as essential: 10.0.0.2:5432"],
  ["58030", "failed to COPY to shard 102033 on 10.0.0.2:5432"],
  ["58030", "failed to complete COPY on 10.0.0.2:5432"],
  ["XX000", "could not commit transaction for shard 102033 on at least one active node"],
  ["XX000", "failed to prepare transaction 'citus_0_1_2_3' on host 10.0.0.2:5432"],
  ["XX000", "execution cannot recover from multiple connection failures. Last node failed 10.0.0.2:5432"],
  ["XX000", "terminating connection due to unexpected postmaster exit"],
  ["XX000", "postmaster was shut down, exiting"],
  ["XX000", "terminating connection because of crash of another server process"],
  ["XX000", "server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally"],
  ["XX000", "could not receive data from server: Connection reset by peer"],
  ["XX000", "SSL SYSCALL error: EOF detected"],
  ["08006", `${REFUSED}server closed the connection unexpectedly\n\tThis probably means the server terminated`],
  ["08006", `${REFUSED}connection not open`],
  ["57P01", "terminating connection due to administrator command"],
];

/** The number of worker sessions that are terminated during writes. */
const ENDED_SESSIONS = 100;

/** After the last session was terminated, the test waits for the recovery of prepared transactions. */
const TIMEOUT_MS = 120_000;

describe("errors of a Citus coordinator", () => {
  let server: TestServer;
  let clients: Readonly<Record<Protocol, ApiClient>>;
  let pool: RequestFields;

  beforeAll(async () => {
    server = await startTestServer("postgres", { managesPools: false });
    clients = { json: createJsonClient(server.url), grpc: createGrpcClient(server.port) };
    const { account, number } = await newAccountWithNumber(clients.json);
    pool = createAutomanagedPoolFields(account, number);
    await sql`create table failure (code text not null, message text not null)`.execute(server.database.kysely);
    await sql`
      create function fail() returns trigger language plpgsql as $$
      declare failure failure;
      begin
        select * into failure from failure;
        if found then raise exception using errcode = failure.code, message = failure.message; end if;
        return new;
      end $$`.execute(server.database.kysely);
    await sql`create trigger fail before insert on pools for each row execute function fail()`.execute(
      server.database.kysely,
    );
  });

  afterAll(async () => {
    for (const client of Object.values(clients ?? {})) client.close();
    await server?.stop();
  });

  async function whileFailing<T>([code, message]: Failure, action: () => Promise<T>): Promise<T> {
    const { kysely } = server.database;
    await sql`insert into failure values (${code}, ${message})`.execute(kysely);
    try {
      return await action();
    } finally {
      await sql`delete from failure`.execute(kysely);
    }
  }

  describe.each(PROTOCOLS)("over %s", (protocol) => {
    const create = (failure: Failure, fields: RequestFields = {}) =>
      whileFailing(failure, () => requireRefusal(clients[protocol].createPool({ ...pool, ...fields })));

    test.each(NOT_REACHED)("%s %s: the statement was not run", async (...failure) => {
      expect(await create(failure)).toMatchObject({ status: "UNAVAILABLE", reason: "UNAVAILABLE" });
    });

    test.each(LOST)("%s %s: the outcome of a write is unknown", async (...failure) => {
      expect(await create(failure)).toMatchObject({ status: "UNAVAILABLE", reason: "OUTCOME_UNKNOWN" });
    });

    test.each(LOST)("%s %s: an uncommitted transaction was not run", async (...failure) => {
      const refusal = await create(failure, { request_id: randomUUID() });
      expect(refusal).toMatchObject({ status: "UNAVAILABLE", reason: "UNAVAILABLE" });
    });

    test("other errors are internal", async () => {
      expect(await create(["XX000", "unexpected text result"])).toMatchObject({ reason: "INTERNAL" });
      expect(await create(["58030", "could not write to file"])).toMatchObject({ reason: "INTERNAL" });
      const violation = 'insert or update on table "pools" violates foreign key constraint "pools_account_id_fkey"';
      expect(await create(["23503", violation])).toMatchObject({ reason: "INTERNAL" });
    });
  });

  test("the loss of a worker during a commit leaves the outcome unknown", async () => {
    const { kysely } = server.database;
    await sql`
      create constraint trigger fail_late after insert on pools deferrable initially deferred
      for each row execute function fail()`.execute(kysely);
    await sql`alter table pools disable trigger fail`.execute(kysely);
    const failure: Failure = ["XX000", "could not commit transaction for shard 102033 on at least one active node"];
    const refusal = await whileFailing(failure, () =>
      requireRefusal(clients.json.createPool({ ...pool, request_id: randomUUID() })),
    );
    await sql`alter table pools enable trigger fail`.execute(kysely);
    await sql`drop trigger fail_late on pools`.execute(kysely);
    expect(refusal).toMatchObject({ reason: "OUTCOME_UNKNOWN" });
  });
});

describe.each(ENGINES.filter((engine) => engine === "citus"))("lost workers, on the %s engine", (engine) => {
  let location: PostgresLocation;
  let server: TestServer;
  let clients: Readonly<Record<Protocol, ApiClient>>;
  let coordinator: pg.Client;
  let workers: pg.Client[];

  beforeAll(async () => {
    location = (await createTestDatabase(engine)) as PostgresLocation;
    server = await serveDatabase(location, { managesPools: false });
    clients = { json: createJsonClient(server.url), grpc: createGrpcClient(server.port) };
    coordinator = await connectToPostgres(location.url);
    const { rows } = await coordinator.query("select nodename, nodeport from pg_dist_node where groupid <> 0");
    workers = await Promise.all(
      rows.map(({ nodename, nodeport }) => {
        return connectToPostgres(Object.assign(new URL(location.url), { host: `${nodename}:${nodeport}` }).href);
      }),
    );
  });

  afterAll(async () => {
    for (const client of Object.values(clients ?? {})) client.close();
    await server?.stop();
    await Promise.all([coordinator, ...(workers ?? [])].map((client) => client?.end()));
    if (location !== undefined) await dropTestDatabase(engine, location);
  });

  /** Terminates the cluster's sessions on its workers, or only those that wait for a lock; returns their number. */
  async function endSessions(which: "all" | "waiting" = "all"): Promise<number> {
    const ended = workers.map((worker) =>
      worker.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
            and ($1 = 'all' or wait_event_type = 'Lock')`,
        [which],
      ),
    );
    return (await Promise.all(ended)).reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
  }

  /** Resolves prepared transactions that workers were not told to commit or roll back. The cluster itself does that once a minute. */
  async function recoverTransactions(): Promise<void> {
    await queryOnce(location.url, "select recover_prepared_transactions()");
  }

  async function hasPreparedTransactions(): Promise<boolean> {
    const left = await Promise.all(
      workers.map((worker) => worker.query("select from pg_prepared_xacts where database = current_database()")),
    );
    return left.some(({ rowCount }) => rowCount !== 0);
  }

  test.each(PROTOCOLS)("the outcome of a write in progress on a lost worker is unknown, over %s", async (protocol) => {
    const { account, pool } = await newPool(clients.json);
    await coordinator.query("begin");
    await coordinator.query("update pools set size = size where account_id = $1 and id = $2", [account.id, pool.id]);
    const refused = requireRefusal(clients[protocol].updatePool({ ...getPoolKeyFields(account, pool), size: 7 }));
    while ((await endSessions("waiting")) === 0) await pause(20);
    expect(await refused).toMatchObject({ status: "UNAVAILABLE", reason: "OUTCOME_UNKNOWN" });
    await coordinator.query("rollback");
  });

  const title = "all failed writes report their outcome, no acknowledged write is lost, and none is repeated";
  test(title, { timeout: TIMEOUT_MS }, async () => {
    const outcomes = new Map<string, "done" | "not done" | "unknown">();
    let isEnding = false;
    const attempt = async (name: string, write: Promise<unknown>) => {
      const refusal = await write.then(
        () => undefined,
        (error) => (error as RefusedError).refusal,
      );
      if (refusal === undefined) outcomes.set(name, "done");
      else {
        expect(refusal).toMatchObject({ reason: expect.stringMatching(/^(UNAVAILABLE|OUTCOME_UNKNOWN)$/) });
        outcomes.set(name, refusal.reason === "UNAVAILABLE" ? "not done" : "unknown");
      }
    };
    const { account, number } = await newAccountWithNumber(clients.json);
    const write = async (api: ApiClient) => {
      while (!isEnding) {
        const [name, description] = [uniqueToken(), randomUUID()];
        await attempt(name, api.createAccount({ account_token: name }));
        await attempt(description, api.createPool(createAutomanagedPoolFields(account, number, { description })));
        const request_id = randomUUID();
        const keyed = randomUUID();
        await attempt(
          keyed,
          api.createPool(createAutomanagedPoolFields(account, number, { description: keyed, request_id })),
        );
      }
    };
    const writing = Promise.all(PROTOCOLS.flatMap((protocol) => [1, 2].map(() => write(clients[protocol]))));
    for (let ended = 0; ended < ENDED_SESSIONS; await pause(100)) {
      ended += await endSessions();
      await recoverTransactions();
    }
    isEnding = true;
    await writing;
    while (await hasPreparedTransactions()) await recoverTransactions();

    const { rows } = await coordinator.query(
      "select description as name from pools union all select account_token from accounts",
    );
    for (const [name, outcome] of outcomes) {
      const count = rows.filter((row) => row.name === name).length;
      if (outcome === "unknown") expect(count, name).toBeLessThanOrEqual(1);
      else expect(count, name).toBe(outcome === "done" ? 1 : 0);
    }
    expect([...outcomes.values()]).toContain("done");
    expect([...outcomes.values()]).not.toEqual([...outcomes.values()].fill("done"));
  });
});
