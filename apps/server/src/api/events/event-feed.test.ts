import { sql } from "kysely";
import { expect, test } from "vitest";
import { openDatabase } from "../../database/open-database.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { EventFeed } from "./event-feed.js";
import { SettledPosition } from "./settled-position.js";

test("a watcher that leaves and another that comes while events are read miss none of them", async () => {
  const location = await createTestDatabase("postgres");
  const database = openDatabase(location);
  const shutdown = new AbortController();
  const phoneSystems = { secrets: undefined, urlOf: () => "" } as never;
  const feed = new EventFeed(database, new SettledPosition(database), phoneSystems, shutdown.signal);
  const unsubscribe = feed.subscribe({ types: () => undefined, onReading: async () => {} });
  let leave = feed.watch();
  const reading = Promise.withResolvers<void>();
  const describe = feed.describe.bind(feed);
  feed.describe = async (rows) => {
    const described = await describe(rows);
    leave();
    leave = feed.watch();
    reading.resolve();
    return described;
  };
  const start = feed.end;
  const id = "019aa360-2b3c-7d4e-9f50-617283940a1b";
  await sql`insert into events (account_id, type, resource_id) values (0, 'phone_system.updated', ${id})`.execute(
    database.kysely,
  );
  feed.wake();
  await reading.promise;
  await expect.poll(() => feed.end).toBeGreaterThan(start);
  expect(feed.after(start)?.events.map(({ row }) => row.resource_id)).toEqual([id]);
  leave();
  unsubscribe();
  shutdown.abort();
  await database.close();
});
