import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../testing/api-client.js";
import { createJsonClient } from "../../testing/json-client.js";
import { type LockHolder, openLockHolder } from "../../testing/lock-holder.js";
import { newAccount } from "../../testing/request-fields.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { serveDatabase, type TestServer } from "../../testing/test-server.js";

/*
 * Tests the order in which counting visits locks rows. Another session locks the row that comes first, so that the
 * statement waits for it. On PostgreSQL only: the embedded engine runs one statement at a time.
 */

let server: TestServer;
let api: ApiClient;
let other: LockHolder;

beforeAll(async () => {
  const location = await createTestDatabase("postgres");
  server = await serveDatabase(location, { managesPools: false });
  api = createJsonClient(server.url);
  other = await openLockHolder(location.kind === "postgres" ? location.url : "");
});

afterEach(async () => {
  // A failed test may have left its locks.
  await other.release();
});

afterAll(async () => {
  await server?.stop();
  await other?.[Symbol.asyncDispose]();
});

const [FIRST, SECOND] = ["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"] as const;

function visitOf(source: string, event_id: string = crypto.randomUUID()) {
  return { event_id, property_token: "shop", source, medium: "cpc" };
}

describe("visits are counted in a fixed order, to avoid deadlocks,", () => {
  test("by source", async () => {
    const { id, account_token: account_id } = await newAccount(api);
    await api.recordVisits({ account_id, visits: [visitOf("b"), visitOf("a")] });
    await other.hold(`select from visit_counts where account_id = ${id} and source = 'a' for update`);
    const counting = api.recordVisits({ account_id, visits: [visitOf("b"), visitOf("a")] });
    await other.expectWait(counting);
    const free = await other.query(
      "select source from visit_counts where account_id = $1 and source = 'b' for update skip locked",
      [id],
    );
    await other.release();
    expect(await counting).toMatchObject({ recorded: 2 });
    expect(free).toEqual([{ source: "b" }]);
  });

  test("by event id", async () => {
    const { id, account_token: account_id } = await newAccount(api);
    const insert = (key: string) => `insert into visit_events (account_id, event_key, recorded_at)
      values (${id}, '${key}', clock_now())`;
    await other.hold(insert(FIRST));
    const counting = api.recordVisits({ account_id, visits: [visitOf("a", SECOND), visitOf("a", FIRST)] });
    await other.expectWait(counting);
    // This insert does not wait, because the statement has not locked the second event id yet.
    await other.query(insert(SECOND));
    await other.release();
    expect(await counting).toMatchObject({ recorded: 0, duplicates: 2 });
  });
});
