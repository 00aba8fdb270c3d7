import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AccountJson } from "./testing/api-client.js";
import { createDataLocation, createEmptyDataLocation } from "./testing/data-location.js";
import { expectFailure } from "./testing/expect-failure.js";
import { createJsonClient } from "./testing/json-client.js";
import { newAccount, uniqueToken } from "./testing/request-fields.js";
import { runServer, type ServerProcess, startServerProcess } from "./testing/server-process.js";
import { ENGINES } from "./testing/test-database.js";

/** A request to create an account, and the account if the server has responded. */
interface Attempt {
  readonly request: { readonly account_token: string; readonly request_id: string };
  account?: AccountJson;
}

/** Creates accounts over several connections until the server is gone, and records every attempt. */
async function createUntilGone(server: ServerProcess, attempts: Attempt[]): Promise<void> {
  const api = createJsonClient(server.url);
  const write = async () => {
    for (;;) {
      const attempt: Attempt = { request: { account_token: uniqueToken(), request_id: randomUUID() } };
      attempts.push(attempt);
      attempt.account = await api.createAccount(attempt.request);
    }
  };
  // fetch() rejects with a TypeError if the connection breaks.
  await Promise.all([1, 2, 3, 4].map(() => expect(write()).rejects.toBeInstanceOf(TypeError)));
}

describe.each(ENGINES)("on the %s engine", (engine) => {
  test("preserves acknowledged writes across kill -9, and deduplicates retries", async () => {
    await using location = await createDataLocation(engine);
    const attempts: Attempt[] = [];
    const countAcknowledged = () => attempts.filter(({ account }) => account !== undefined).length;
    {
      await using server = await startServerProcess(location.environment);
      const writing = createUntilGone(server, attempts);
      await expect.poll(countAcknowledged, { interval: 5 }).toBeGreaterThanOrEqual(50);
      server.kill("SIGKILL");
      await writing;
    }
    await using server = await startServerProcess(location.environment);
    const api = createJsonClient(server.url);
    const kept = new Map((await api.listAccounts()).entries.map((account) => [account.id, account]));
    for (const { account } of attempts) if (account !== undefined) expect(kept.get(account.id)).toEqual(account);
    // The server may or may not have executed the requests without a response. In either case, a retry returns the account.
    const again = await Promise.all(attempts.map(({ request }) => api.createAccount(request)));
    attempts.forEach(({ account }, index) => {
      if (account !== undefined) expect(again[index]).toEqual(account);
    });
    expect((await api.listAccounts()).entries).toEqual(again.toSorted((a, b) => a.id - b.id));
  });
});

describe("a damaged data directory", () => {
  test.each([
    [
      "without its write-ahead log",
      "postgres/pg_wal/000000010000000000000001",
      "could not locate a valid checkpoint record",
    ],
    ["without a table", "postgres/base/5/1259", 'could not open file "base/5/1259"'],
  ])("%s is rejected with a one-line message that says what to do", async (_, file, reason) => {
    await using location = await createDataLocation("embedded");
    const { DATA_DIR = "" } = location.environment;
    await rm(join(DATA_DIR, file));
    const end = await runServer([], location.environment);
    expectFailure(end, 1, /[^\n]+: files of the database are damaged or missing\. Restore a backup/);
    expect(end.stderr).toContain(`DATA_DIR ${DATA_DIR} cannot be opened (${reason}`);
  });
});

describe("several servers on one PostgreSQL database", () => {
  test("start concurrently on an empty database and see the same data", async () => {
    await using location = await createEmptyDataLocation("postgres");
    const servers = await Promise.all([1, 2].map(() => startServerProcess(location.environment)));
    const clients = servers.map(({ url }) => createJsonClient(url));
    for (const { url } of servers) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const accounts = await Promise.all(clients.map(newAccount));
    for (const api of clients) {
      expect((await api.listAccounts()).entries).toEqual(accounts.toSorted((a, b) => a.id - b.id));
    }
    for (const server of servers) expect(await server.stop()).toMatchObject({ exitCode: 0 });
  });
});
