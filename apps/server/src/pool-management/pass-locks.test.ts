import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../testing/api-client.js";
import { createJsonClient } from "../testing/json-client.js";
import { type LockHolder, openLockHolder } from "../testing/lock-holder.js";
import { automanagedPool, newAccountWithNumber } from "../testing/request-fields.js";
import { createTestDatabase } from "../testing/test-database.js";
import { serveDatabase, type TestServer } from "../testing/test-server.js";
import { newTrackedPool } from "../testing/tracked-pool.js";
import { makePoolsDue, wakePoolsLackingNumbers } from "./pass-repository.js";

/*
 * Tests the locks of statements that make pools due. Another session locks a row, so that the statement waits for it.
 * On PostgreSQL only: the embedded engine runs one statement at a time.
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

const db = () => server.database.db;

test("a pool that was just made due keeps its due time when new numbers arrive", async () => {
  const { pool, addNumbers } = await newTrackedPool({ api, server }, { size: 1, numbers: 0 });
  await addNumbers(1);
  await other.hold(`update pool_passes set due_at = '2020-01-01' where pool_id = '${pool.id}'`);
  const waking = wakePoolsLackingNumbers(db());
  await other.expectWait(waking);
  await other.release();
  await waking;
  const [row] = await other.query("select due_at::date::text as day from pool_passes where pool_id = $1", [pool.id]);
  expect(row).toEqual({ day: "2020-01-01" });
});

test("retiring a number locks the pool of its call tracker first, like a pass", async () => {
  const { pool, name } = await newTrackedPool({ api, server }, { size: 1 });
  const [held] = (await api.listCallTrackers(name)).entries;
  const phone_number = held?.tracking_number;
  await other.hold(`select from tracking_numbers where phone_number = '${phone_number}' for update`);
  const retiring = api.retireTrackingNumber({ phone_number });
  await other.expectWait(retiring);
  const free = await other.query("select id from pools where id = $1 for update skip locked", [pool.id]);
  await other.release();
  expect(await retiring).toMatchObject({ state: "retiring" });
  expect(free).toEqual([]);
});

describe("makePoolsDue locks pools in a fixed order, to avoid deadlocks,", () => {
  /** Creates pools on these properties of one account. Returns their ids. */
  async function newPools(properties: readonly string[]) {
    const { account, number } = await newAccountWithNumber(api);
    const ids: string[] = [];
    for (const property_token of properties)
      ids.push((await api.createPool(automanagedPool(account, number, { property_token }))).id);
    // Reverses the physical order of the rows in the table and its indexes.
    for (const id of ids.toReversed())
      await other.query("update pool_passes set due_at = clock_now() + interval '1 day' where pool_id = $1", [id]);
    return { accountId: account.id, ids };
  }

  /** Expects that a statement waiting for the first pool has not locked the second one. */
  async function expectSecondFree([first, second]: readonly string[], makeDue: () => Promise<void>): Promise<void> {
    await other.hold(`select from pool_passes where pool_id = '${first}' for update`);
    const making = makeDue();
    await other.expectWait(making);
    const free = await other.query("select pool_id from pool_passes where pool_id = $1 for update skip locked", [
      second,
    ]);
    await other.release();
    await making;
    expect(free).toEqual([{ pool_id: second }]);
  }

  test("by property", async () => {
    const { accountId, ids } = await newPools(["a", "b"]);
    const properties = ["b", "a"].map((propertyToken) => ({ accountId, propertyToken }));
    await expectSecondFree(ids, () => makePoolsDue(db(), properties, 0));
  });

  test("by id within a property", async () => {
    const { accountId, ids } = await newPools(["a", "a"]);
    await expectSecondFree(ids, () => makePoolsDue(db(), [{ accountId, propertyToken: "a" }], 0));
  });

  test("by id within a property, for several accounts", async () => {
    const { accountId, ids } = await newPools(["a", "a"]);
    const { accountId: another } = await newPools(["a"]);
    const properties = [accountId, another].map((id) => ({ accountId: id, propertyToken: "a" }));
    await expectSecondFree(ids, () => makePoolsDue(db(), properties, 0));
  });
});
