import { join } from "node:path";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { expect, test } from "vitest";
import type { ApiClient } from "../../testing/api-client.js";
import { openEventStream } from "../../testing/event-stream.js";
import { createJsonClient } from "../../testing/json-client.js";
import { connectToPostgres } from "../../testing/pg-client.js";
import { requireRefusal } from "../../testing/refusal.js";
import { newPool } from "../../testing/request-fields.js";
import { runServer } from "../../testing/server-process.js";
import {
  createEmptyDatabase,
  createTestDatabase,
  dropTestDatabase,
  type PostgresLocation,
} from "../../testing/test-database.js";
import { serveDatabase } from "../../testing/test-server.js";

const folder = await createFolder();

/** The ways to copy a database, keyed by the tool that makes the copy. */
const COPIES: Readonly<Record<string, (from: string, to: string) => Promise<unknown>>> = {
  async "calltrack-server dump"(from, to) {
    const file = join(folder, "events.dump");
    expect((await runServer(["dump", file], { DATABASE_URL: from })).exitCode).toBe(0);
    expect((await runServer(["restore", file], { DATABASE_URL: to })).exitCode).toBe(0);
  },
  async "PostgreSQL itself"(from, to) {
    const [source, target] = [from, to].map((url) => new URL(url).pathname.slice(1));
    const client = await connectToPostgres(Object.assign(new URL(from), { pathname: "/postgres" }).href);
    await client.query(`drop database "${target}"`);
    await client.query(`create database "${target}" template "${source}"`);
    await client.end();
  },
};

test.each(Object.keys(COPIES))("a log that %s copied has no silent gap for the cursors of the log", async (way) => {
  const location: PostgresLocation = await createTestDatabase("postgres");
  let server = await serveDatabase(location, { managesPools: false });
  let api = createJsonClient(server.url);
  const { account, pool } = await newPool(api);
  const account_id = account.account_token;
  const change = (on: ApiClient, size: number) => on.updatePool({ account_id, pool_id: pool.id, size });
  await change(api, 2);
  const early = (await api.listEvents({ account_id })).nextCursor;
  const copy: PostgresLocation = await createEmptyDatabase("postgres");
  await server.stop();
  await COPIES[way]?.(location.url, copy.url);
  server = await serveDatabase(location, { managesPools: false });
  api = createJsonClient(server.url);

  // The log of the original database continues. A transaction that is rolled back leaves a gap in the positions.
  await change(api, 3);
  const late = (await api.listEvents({ account_id })).nextCursor;
  const client = await connectToPostgres(location.url);
  await client.query(
    "begin; insert into events (account_id, type) select 0, 'account.updated' from generate_series(1, 5); rollback",
  );
  await client.end();
  const bookmarks: string[] = [(await api.listEvents({ account_id })).nextCursor];
  await expect
    .poll(async () => (await fetch(`${server.url}/call_tracking/accounts`)).headers.get("x-event-cursor"))
    .toBe(bookmarks[0]);
  await using stream = await openEventStream(server.url);
  await expect.poll(() => stream.messages.length).toBe(1);
  bookmarks.push(stream.messages[0]?.cursor ?? "");

  const restored = await serveDatabase(copy, { managesPools: false });
  const restoredApi = createJsonClient(restored.url);
  const typesAfter = async (cursor: string) =>
    (await restoredApi.listEvents({ account_id, cursor })).entries.map(({ type }) => type);
  const isUnknown = async (cursor: string) =>
    expect(await requireRefusal(restoredApi.listEvents({ account_id, cursor }))).toMatchObject({
      reason: "EVENT_CURSOR_UNKNOWN",
    });
  const { entries } = await restoredApi.listEvents({ account_id });
  expect(entries.map(({ type }) => type)).toEqual([
    "account.created",
    "phone_number.created",
    "pool.created",
    "pool.updated",
  ]);
  expect(await typesAfter(early)).toEqual([]);
  for (const cursor of [late, ...bookmarks]) await isUnknown(cursor);
  // The copy grows beyond the positions of the cursors, with events of the same types and subjects.
  for (let size = 3; size < 15; size++) await change(restoredApi, size);
  expect(await typesAfter(early)).toEqual(Array(12).fill("pool.updated"));
  for (const cursor of [late, ...bookmarks]) await isUnknown(cursor);
  await expect(openEventStream(restored.url, `/dni_manager/events:watch?cursor=${late}`)).rejects.toThrow(
    "EVENT_CURSOR_UNKNOWN",
  );

  await server.stop();
  await restored.stop();
  for (const each of [location, copy]) await dropTestDatabase("postgres", each);
});

test("a bookmark beyond the last event is unknown to a log that was restored to that event and has grown", async () => {
  const location: PostgresLocation = await createTestDatabase("postgres");
  const client = await connectToPostgres(location.url);
  const server = await serveDatabase(location, { managesPools: false });
  const api = createJsonClient(server.url);
  const { account, pool } = await newPool(api);
  const account_id = account.account_token;
  await client.query(
    "begin; insert into events (account_id, type) select 0, 'account.updated' from generate_series(1, 5); rollback",
  );
  const { nextCursor } = await api.listEvents({ account_id });
  // Simulates a restore to a time before the positions were drawn.
  await client.query("select setval('event_positions', (select max(position) from events))");
  await client.end();
  for (let size = 2; size < 9; size++) await api.updatePool({ account_id, pool_id: pool.id, size });
  expect(await requireRefusal(api.listEvents({ account_id, cursor: nextCursor }))).toMatchObject({
    reason: "EVENT_CURSOR_UNKNOWN",
  });
  await server.stop();
  await dropTestDatabase("postgres", location);
});
