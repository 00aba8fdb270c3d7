import { afterAll, afterEach, describe, expect, test } from "vitest";
import { pruneVisitPropertiesStatement, pruneVisitSourcesStatement } from "./api/traffic/visit-upkeep-statements.js";
import { makePoolsLackingNumbersDue, makePropertyPoolsDue } from "./pool-management/pass-repository.js";
import { createJsonClient } from "./testing/json-client.js";
import { openLockHolder } from "./testing/lock-holder.js";
import {
  createAutomanagedPoolFields,
  createManualPoolFields,
  getPoolKeyFields,
  newAccount,
  newAccountWithNumber,
  newPool,
  uniqueNumber,
} from "./testing/request-fields.js";
import { createTestDatabase } from "./testing/test-database.js";
import { serveDatabase } from "./testing/test-server.js";
import { newTrackedPool } from "./testing/tracked-pool.js";

/*
 * Tests the races that each lock of a statement prevents. A separate session blocks the statement at the critical point, so that the
 * concurrent request always runs in between. PostgreSQL only, because the embedded engine runs statements one at a time.
 */

const CONFIG = { managesPools: false, hasVirtualClock: true };

const location = await createTestDatabase("postgres");
const server = await serveDatabase(location, CONFIG);
const registering = await serveDatabase(location, { ...CONFIG, unregisteredNumbers: "register" });
const api = createJsonClient(server.url);
const other = await openLockHolder(location.url);

afterEach(async () => {
  // A failed test may have left locks.
  await other.release();
});

afterAll(async () => {
  await server.stop();
  await registering.stop();
  await other[Symbol.asyncDispose]();
});

const track = (fields: Parameters<typeof newTrackedPool>[1] = {}) =>
  newTrackedPool({ api, server }, { pool_type: "manual", size: 1, ...fields });

/** Creates a manual pool with one call tracker, and activates the call tracker. */
async function newActiveTracker() {
  const tracked = await track();
  const [available] = (await api.listCallTrackers(tracked.name)).entries;
  const named = { ...tracked.name, call_tracker_id: available?.id };
  await api.updateCallTracker(named);
  return { ...tracked, named };
}

/** Runs a query while a request waits for the held locks, and releases the locks. Returns the rows of the query. */
async function queryWhileWaiting(call: Promise<unknown>, query: string) {
  await other.expectWait(call);
  const rows = await other.query(query);
  await other.release();
  return rows;
}

/** Returns the state of a resource before and after its last change, from the audit log. */
async function lastAudited(resourceType: string, resourceId: unknown) {
  const [entry] = await other.query(
    "select before, after from audit_entries where resource_type = $1 and resource_id = $2 order by id desc limit 1",
    [resourceType, String(resourceId)],
  );
  return entry as { readonly before: Record<string, unknown>; readonly after: Record<string, unknown> };
}

describe("disabling an account waits for", () => {
  test.each([
    // The creation of the pool waits for this row at the end of its statement, when PostgreSQL checks the foreign key.
    [
      "a registered number",
      () => api,
      (number: string) => `select from phone_numbers where phone_number = '${number}' for update`,
    ],
    [
      "a number that it registers",
      () => createJsonClient(registering.url),
      (number: string) =>
        `insert into tracking_numbers (phone_number, state, is_original) values ('${number}', 'retired', true)`,
    ],
  ])("the creation of a pool with %s", async (_, client, hold) => {
    const { account, number } = await newAccountWithNumber(api);
    const [original, own] = [uniqueNumber(), client() === api];
    await other.hold(hold(own ? number : original));
    await other.runBlocked(
      () => client().createPool(createManualPoolFields(account, own ? number : original)),
      () => api.updateAccount({ id: account.id, is_active: false }),
    );
  });

  test("the update of a call tracker", async () => {
    const { account, named } = await newActiveTracker();
    await other.hold(`select from call_trackers where account_id = ${account.id} for update`);
    await other.runBlocked(
      () => api.flagCallTracker(named),
      () => api.updateAccount({ id: account.id, is_active: false }),
    );
  });

  test("a pass", async () => {
    const { account, name } = await track();
    await api.updatePool({ ...name, size: 2 });
    await other.hold("lock table call_trackers in share mode");
    await other.runBlocked(
      () => server.runDue(),
      () => api.updateAccount({ id: account.id, is_active: false }),
    );
    expect((await api.listCallTrackers(name)).entries).toHaveLength(2);
  });
});

describe("enabling an account", () => {
  test("waits for a pass that freezes a pool, and then makes the pool due", async () => {
    const { account, pool, name } = await track();
    await api.updatePool({ ...name, size: 2 });
    await api.updateAccount({ id: account.id, is_active: false });
    await other.hold(`select from pools where account_id = ${account.id} and id = '${pool.id}' for update`);
    await other.runBlocked(
      () => server.runDue(),
      () => api.updateAccount({ id: account.id, is_active: true }),
    );
    await server.runDue();
    expect((await api.listCallTrackers(name)).entries).toHaveLength(2);
  });

  test("skips a pool that another transaction makes due, without waiting", async () => {
    const { account, pool } = await newPool(api);
    await api.updateAccount({ id: account.id, is_active: false });
    await server.runDue();
    await other.hold(`select from pool_passes where pool_id = '${pool.id}' for update`);
    await other.expectNoWait(api.updateAccount({ id: account.id, is_active: true }));
  });

  test("audits the state of the account right before the change", async () => {
    const { id } = await newAccount(api);
    await other.hold(`update accounts set is_active = false where id = ${id}`);
    await other.runBlocked(() => api.updateAccount({ id, is_active: true }));
    expect(await lastAudited("account", id)).toMatchObject({
      before: { is_active: false },
      after: { is_active: true },
    });
  });
});

describe("a call tracker", () => {
  test("is not deleted by a concurrent pass while it is activated", async () => {
    const tracked = await track();
    const [available] = (await api.listCallTrackers(tracked.name)).entries;
    // A pass replaces the available call trackers of the previous area code.
    await api.updatePool({ ...tracked.name, area_code: "1" });
    await other.hold(`select from call_trackers where id = '${available?.id}' for update`);
    const [activated] = await other.runBlocked(
      () => api.updateCallTracker({ ...tracked.name, call_tracker_id: available?.id }),
      () => server.runDue(),
    );
    expect(activated).toMatchObject({ status: "active" });
    expect((await api.listCallTrackers(tracked.name)).entries).toMatchObject([{ id: available?.id, status: "active" }]);
  });

  test("is flagged once by two concurrent requests", async () => {
    const { pool, name, named } = await newActiveTracker();
    // The first request changes this row last, so it holds all its other locks while it waits for this row.
    await other.hold(`select from pool_passes where pool_id = '${pool.id}' for update`);
    await other.runBlocked(
      () => api.flagCallTracker(named),
      () => api.flagCallTracker(named).catch(() => {}),
    );
    const { entries } = await api.listPoolHistory(name);
    expect(entries.filter(({ kind }) => kind === "flagged")).toHaveLength(1);
  });
});

describe("a pool", () => {
  test("keeps its earlier due time while visits are counted", async () => {
    const { account, pool, visit } = await track({ pool_type: "automanaged", utilization: 1 });
    await other.hold(`update pool_passes set due_at = '2020-01-01' where pool_id = '${pool.id}'`);
    await other.runBlocked(() => visit({ "google / cpc": 300 }));
    expect(await dueTimeOf(account.id, pool.id)).toBe("2020-01-01");
  });

  test("keeps its earlier due time while visits of several accounts are counted", async () => {
    const one = await track({ pool_type: "automanaged", utilization: 1 });
    const two = await newPool(api, { property_token: one.property });
    await other.hold(`update pool_passes set due_at = '2020-01-01' where pool_id = '${one.pool.id}'`);
    const accountIds = [one.account.id, two.account.id];
    const properties = accountIds.map((accountId) => ({ accountId, propertyToken: one.property }));
    await other.runBlocked(() => makePropertyPoolsDue(server.database.db, properties, 30_000));
    expect(await dueTimeOf(one.account.id, one.pool.id)).toBe("2020-01-01");
  });

  test("is audited with its state right before the change", async () => {
    const { account, pool } = await newPool(api);
    await other.hold(`update pools set size = 9 where id = '${pool.id}'`);
    await other.runBlocked(() => api.updatePool({ ...getPoolKeyFields(account, pool), size: 10 }));
    expect(await lastAudited("pool", pool.id)).toMatchObject({ before: { size: 9 }, after: { size: 10 } });
  });

  async function dueTimeOf(accountId: number, poolId: string): Promise<unknown> {
    const [row] = await other.query(
      "select due_at::date::text as day from pool_passes where account_id = $1 and pool_id = $2",
      [accountId, poolId],
    );
    return row?.day;
  }
});

describe("a number of the inventory", () => {
  test("is skipped if another pass has locked it", async () => {
    const tracked = await track({ numbers: 0 });
    const [first, second] = await tracked.addNumbers(2);
    await other.hold(`select from tracking_numbers where phone_number = '${first}' for update`);
    await other.expectNoWait(server.runDue());
    expect((await api.listCallTrackers(tracked.name)).entries).toMatchObject([{ tracking_number: second }]);
  });

  test("is retired once by two concurrent requests", async () => {
    const phone_number = uniqueNumber();
    await api.addTrackingNumbers({ tracking_numbers: [{ phone_number, area_code: "1" }] });
    await other.hold(`update tracking_numbers set state = 'retired' where phone_number = '${phone_number}'`);
    const [retired] = await other.runBlocked(() => api.retireTrackingNumber({ phone_number }));
    expect(retired).toMatchObject({ state: "retired" });
    expect((await lastAudited("tracking_number", phone_number)).before).toBeNull();
  });
});

describe("the audit log has the state right before the change of", () => {
  test("the clock", async () => {
    await other.hold("update clock set advanced = advanced + interval '1 day'");
    await other.runBlocked(() => api.advanceClock({ by: "60s" }));
    const { before, after } = await lastAudited("clock", "clock");
    expect(Date.parse(String(after.now)) - Date.parse(String(before.now))).toBeLessThan(3_600_000);
  });

  test("a revoked API key", async () => {
    const { api_key } = await api.createApiKey({ scopes: ["read"] });
    await other.hold(`update api_keys set revoked_at = '2020-01-01T00:00:00Z' where id = '${api_key.id}'`);
    const [revoked] = await other.runBlocked(() => api.revokeApiKey({ api_key_id: api_key.id }));
    expect(revoked).toMatchObject({ revoked_at: expect.stringMatching(/^2020-01-01/) });
    expect((await lastAudited("api_key", api_key.id)).before.revoked_at).toMatch(/^2020-01-01/);
  });
});

describe("a day with too many visits", () => {
  const DAY = "2026-01-01";

  /** Creates an account. On one day, each property has visits from `sources` sources, and source n has n visits. */
  async function newCrowdedDay(properties: readonly string[], sources: number): Promise<number> {
    const { id } = await newAccount(api);
    await other.query(
      `with day as (
        insert into visit_days (account_id, property_token, day, sources)
        select $1, property, $2::date, $3 from unnest($4::text[]) property returning property_token)
      insert into visit_counts (account_id, property_token, day, source, medium, visits)
      select $1, property_token, $2::date, 'source ' || n, 'cpc', n from day, generate_series(1, $3) n`,
      [id, DAY, sources, properties],
    );
    return id;
  }

  async function countSources(accountId: number): Promise<number> {
    const [row] = await other.query("select count(*)::integer as count from visit_counts where account_id = $1", [
      accountId,
    ]);
    return Number(row?.count);
  }

  const keepTen = (accountId: number) =>
    pruneVisitSourcesStatement(server.database.db, {
      account_id: accountId,
      property_token: "shop",
      day: DAY,
      kept: 10,
    });

  const keepOneProperty = (accountId: number) =>
    pruneVisitPropertiesStatement(server.database.db, { accountId, day: DAY, propertyTokens: ["a"], maxProperties: 2 });

  test("is pruned once by concurrent statements", async () => {
    const id = await newCrowdedDay(["shop"], 25);
    await other.hold(
      `update visit_days set sources = 10 where account_id = ${id}`,
      `delete from visit_counts where account_id = ${id} and visits <= 15`,
    );
    await other.runBlocked(() => keepTen(id));
    expect(await countSources(id)).toBe(10);
  });

  test("keeps a locked source without waiting", async () => {
    const id = await newCrowdedDay(["shop"], 25);
    await other.hold(`select from visit_counts where account_id = ${id} and source = 'source 1' for update`);
    await other.expectNoWait(keepTen(id));
    await other.release();
    const [row] = await other.query("select visits from visit_counts where account_id = $1 and source = 'source 1'", [
      id,
    ]);
    expect(row).toEqual({ visits: "1" });
    expect(await countSources(id)).toBe(10);
  });

  test.each([
    ["a locked property", "visit_days"],
    ["a property with a locked source", "visit_counts"],
  ])("keeps %s without waiting", async (_, table) => {
    const id = await newCrowdedDay(["a", "b", "c"], 1);
    const held = "property_token = 'a'";
    await other.hold(`select from ${table} where account_id = ${id} and ${held} for update`);
    await other.expectNoWait(keepOneProperty(id));
    await other.release();
    const rows = await other.query("select property_token from visit_days where account_id = $1", [id]);
    expect(rows).toContainEqual({ property_token: "a" });
    expect(rows.length).toBeLessThan(3);
  });
});

const [FIRST, SECOND] = ["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"] as const;

function visitOf(source: string, event_id: string = crypto.randomUUID()) {
  return { event_id, property_token: "shop", source, medium: "cpc" };
}

describe("visits are counted in a fixed order, whatever their order in the request, which avoids deadlocks", () => {
  test("ordered by source", async () => {
    const { id, account_token: account_id } = await newAccount(api);
    await api.recordVisits({ account_id, visits: [visitOf("b"), visitOf("a")] });
    await other.hold(`select from visit_counts where account_id = ${id} and source = 'a' for update`);
    const counting = api.recordVisits({ account_id, visits: [visitOf("b"), visitOf("a")] });
    const free = `select source from visit_counts where account_id = ${id} and source = 'b' for update skip locked`;
    expect(await queryWhileWaiting(counting, free)).toEqual([{ source: "b" }]);
    expect(await counting).toMatchObject({ recorded: 2 });
  });

  test("ordered by event id", async () => {
    const { id, account_token: account_id } = await newAccount(api);
    const insert = (key: string) => `insert into visit_events (account_id, event_key, recorded_at)
      values (${id}, '${key}', clock_now())`;
    await other.hold(insert(FIRST));
    const counting = api.recordVisits({ account_id, visits: [visitOf("a", SECOND), visitOf("a", FIRST)] });
    // The insertion of `SECOND` does not wait, because the blocked request has not inserted that key yet.
    await queryWhileWaiting(counting, insert(SECOND));
    expect(await counting).toMatchObject({ recorded: 0, duplicates: 2 });
  });
});

test("two servers that advance the clock at the same time add up", async () => {
  const now = async () => Date.parse((await api.getClock()).now);
  const before = await now();
  await other.hold("select from clock for update");
  const second = createJsonClient(registering.url);
  await other.runBlocked(...[api, second].map((each) => () => each.advanceClock({ by: "86400s" })));
  expect((await now()) - before).toBeGreaterThanOrEqual(2 * 86_400_000);
});

const db = () => server.database.db;

test("a pool that lacks numbers keeps its earlier due time while numbers are added", async () => {
  const { pool, addNumbers } = await newTrackedPool({ api, server }, { size: 1, numbers: 0 });
  await addNumbers(1);
  await other.hold(`update pool_passes set due_at = '2020-01-01' where pool_id = '${pool.id}'`);
  await other.runBlocked(() => makePoolsLackingNumbersDue(db()));
  const [row] = await other.query("select due_at::date::text as day from pool_passes where pool_id = $1", [pool.id]);
  expect(row).toEqual({ day: "2020-01-01" });
});

test("retiring a number locks the pool of its call tracker first, as a pass does", async () => {
  const { pool, name } = await newTrackedPool({ api, server }, { size: 1 });
  const [held] = (await api.listCallTrackers(name)).entries;
  const phone_number = held?.tracking_number;
  await other.hold(`select from tracking_numbers where phone_number = '${phone_number}' for update`);
  const retiring = api.retireTrackingNumber({ phone_number });
  const free = `select id from pools where id = '${pool.id}' for update skip locked`;
  expect(await queryWhileWaiting(retiring, free)).toEqual([]);
  expect(await retiring).toMatchObject({ state: "retiring" });
});

describe("pools that visits make due are locked in a fixed order, which avoids deadlocks", () => {
  /** Creates one pool per property, all in one account. */
  async function newPools(properties: readonly string[]) {
    const { account, number } = await newAccountWithNumber(api);
    const ids: string[] = [];
    for (const property_token of properties)
      ids.push((await api.createPool(createAutomanagedPoolFields(account, number, { property_token }))).id);
    // Rewrites the rows in reverse order, so that their physical order differs from the lock order.
    for (const id of ids.toReversed())
      await other.query("update pool_passes set due_at = clock_now() + interval '1 day' where pool_id = $1", [id]);
    return { accountId: account.id, ids };
  }

  /** Asserts that a statement that waits for the first pool has not locked the second. */
  async function expectSecondFree([first, second]: readonly string[], makeDue: () => Promise<void>): Promise<void> {
    await other.hold(`select from pool_passes where pool_id = '${first}' for update`);
    const making = makeDue();
    const free = `select pool_id from pool_passes where pool_id = '${second}' for update skip locked`;
    expect(await queryWhileWaiting(making, free)).toEqual([{ pool_id: second }]);
    await making;
  }

  test("ordered by property", async () => {
    const { accountId, ids } = await newPools(["a", "b"]);
    const properties = ["b", "a"].map((propertyToken) => ({ accountId, propertyToken }));
    await expectSecondFree(ids, () => makePropertyPoolsDue(db(), properties, 0));
  });

  test("ordered by id within a property", async () => {
    const { accountId, ids } = await newPools(["a", "a"]);
    await expectSecondFree(ids, () => makePropertyPoolsDue(db(), [{ accountId, propertyToken: "a" }], 0));
  });

  test("ordered by id within a property, if several accounts have visits", async () => {
    const { accountId, ids } = await newPools(["a", "a"]);
    const { accountId: another } = await newPools(["a"]);
    const properties = [accountId, another].map((id) => ({ accountId: id, propertyToken: "a" }));
    await expectSecondFree(ids, () => makePropertyPoolsDue(db(), properties, 0));
  });
});
