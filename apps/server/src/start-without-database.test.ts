import { expect, test } from "vitest";
import { expectFailure } from "./testing/expect-failure.js";
import { createGrpcClient } from "./testing/grpc-client.js";
import { createJsonClient } from "./testing/json-client.js";
import { queryOnce } from "./testing/pg-client.js";
import { createProxiedDatabase } from "./testing/proxied-database.js";
import { requireRefusal } from "./testing/refusal.js";
import { newAccount } from "./testing/request-fields.js";
import { runServer, startListeningProcess } from "./testing/server-process.js";

const NOT_REACHED = "the database is not available yet: retrying";

test.each(["1", "2"])(
  "with WORKERS=%s, listens while its database is unreachable, and becomes ready when it is reachable",
  async (workers) => {
    const { url, proxy } = await createProxiedDatabase();
    await proxy.close();
    await using server = await startListeningProcess({ DATABASE_URL: url.href, WORKERS: workers });
    await server.waitForLog(NOT_REACHED);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    const answer = await fetch(`${server.url}/call_tracking/accounts`);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    const json = createJsonClient(server.url);
    const grpc = createGrpcClient(server.port);
    for (const api of [json, grpc]) {
      expect(await requireRefusal(newAccount(api))).toMatchObject({ status: "UNAVAILABLE", reason: "UNAVAILABLE" });
      expect(await requireRefusal(api.createAccount())).toMatchObject({ reason: "FIELD_INVALID" });
    }
    await proxy.open();
    await server.waitForLog(`(?:[^]*"connected to the database"){${workers}}`);
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200);
    const account = await newAccount(grpc);
    expect((await json.listAccounts()).entries).toEqual([account]);
    grpc.close();
    expect(await server.stop()).toMatchObject({ exitCode: 0 });
    await proxy.close();
  },
);

test("retries while the password is wrong or the database does not exist", async () => {
  const { direct } = await createProxiedDatabase();
  const name = new URL(direct).pathname.slice(1);
  const url = new URL(direct);
  Object.assign(url, { username: `${name}_user`, password: "secret", pathname: `/${name}_later` });
  await using server = await startListeningProcess({ DATABASE_URL: url.href });
  await server.waitForLog("password authentication failed");
  await queryOnce(direct, `create role ${name}_user login superuser password 'secret'`);
  await server.waitForLog("does not exist");
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  await queryOnce(direct, `create database ${name}_later`);
  await server.waitForLog("connected to the database");
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect(JSON.stringify(server.log)).not.toContain("secret");
});

test("exits if the schema is newer than the server, even if the database becomes reachable later", async () => {
  const { url, direct, proxy } = await createProxiedDatabase();
  await queryOnce(direct, "insert into kysely_migration values ('9999-from-the-future', '')");
  await proxy.close();
  await using server = await startListeningProcess({ DATABASE_URL: url.href });
  await proxy.open();
  const { exitCode, stderr } = await server.ended;
  expect(stderr).toMatch(/\ncalltrack-server: [^\n]*9999-from-the-future[^\n]*\n$/);
  expect(exitCode).toBe(1);
  await proxy.close();
});

test("rejects a database whose encoding is not UTF8", async () => {
  const { direct } = await createProxiedDatabase();
  const name = `${new URL(direct).pathname.slice(1)}_latin`;
  await queryOnce(direct, `create database ${name} encoding 'LATIN1' locale 'C' template template0`);
  const DATABASE_URL = Object.assign(new URL(direct), { pathname: name }).href;
  const end = await runServer([], { DATABASE_URL });
  expectFailure(end, 1, /the database has the encoding LATIN1[^\n]*template0(?=\n)/);
});

test("exits with 0 on SIGTERM while it waits for its database", async () => {
  await using server = await startListeningProcess({
    DATABASE_URL: "postgres://calltrack:secret@127.0.0.1:1/calltrack",
  });
  expect(await server.stop()).toMatchObject({ exitCode: 0 });
});
