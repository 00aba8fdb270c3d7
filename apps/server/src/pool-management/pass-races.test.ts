import type { Executor } from "@calltrack/postgres";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterAll, describe, expect, test } from "vitest";
import { inventoryCarrier } from "../api/inventory/inventory-carrier.js";
import { moveVirtualClock, readVirtualClock } from "../clock/clock.js";
import { DEFAULT_POOL_RULES } from "../config/pool-rules.js";
import type { ApiClient, RequestFields } from "../testing/api-client.js";
import { describeOnEngines } from "../testing/behavior.js";
import { countWaitingStatements } from "../testing/count-waiting.js";
import { TEST_ORIGIN } from "../testing/credentials.js";
import { createJsonClient } from "../testing/json-client.js";
import { createAutomanagedPoolFields, getPoolKeyFields } from "../testing/request-fields.js";
import { createTestDatabase } from "../testing/test-database.js";
import { serveDatabase, type TestServer } from "../testing/test-server.js";
import { makePoolDue, newTrackedPool, type TrackedPool } from "../testing/tracked-pool.js";
import { registerPassMetrics } from "./pass-metrics.js";
import { createPassRunner, type PassRunner } from "./pass-runner.js";
import { claimPoolStatement, findDuePoolsStatement } from "./pass-schedule-statements.js";
import type { PassDependencies } from "./pool-pass.js";

/** Passes and the clock advance only when a test requests it. */
const CONFIG = { hasVirtualClock: true, managesPools: false };

const LEASE_MS = 60_000;

/** Runs due passes with a separate runner, as another server would. In each pass that buys numbers, runs `act` after the pass has read its input. */
async function passMeanwhile({ database: { db } }: TestServer, act: () => Promise<unknown>): Promise<void> {
  const carrier: typeof inventoryCarrier = {
    ...inventoryCarrier,
    async buy(...purchases) {
      await act();
      await inventoryCarrier.buy(...purchases);
    },
  };
  await createRunner(db, { carrier, rules: DEFAULT_POOL_RULES }).runDue();
}

function createRunner(db: Executor, tools: PassDependencies): PassRunner {
  return createPassRunner(db, tools, registerPassMetrics(new Registry()), pino({ level: "silent" }));
}

/** Claims all due pools, like a server that crashes before the passes. */
async function claimAndDie({ database: { db } }: TestServer): Promise<void> {
  for (const due of await findDuePoolsStatement(db, { since: "-infinity", limit: 100 }))
    await claimPoolStatement(db, { ...due, leaseMs: LEASE_MS });
}

/** Returns the source of each call tracker of a pool; null for a call tracker without a source. */
async function sourcesOf(api: ApiClient, name: RequestFields): Promise<readonly (string | null)[]> {
  return (await api.listCallTrackers(name)).entries.map(({ source }) => source);
}

describeOnEngines(
  "during a pass",
  (service) => {
    const track = (fields: Parameters<typeof newTrackedPool>[1] = {}) =>
      newTrackedPool(service, { size: 1, utilization: 1, ...fields });

    /** Enlarges a pool by one, and runs `act` during the pass over it. */
    async function growWhile({ name, pool }: TrackedPool, act: () => Promise<unknown>): Promise<void> {
      await service.api.updatePool({ ...name, size: pool.size + 1 });
      let acting: Promise<unknown> | undefined;
      await passMeanwhile(service.server, async () => {
        acting ??= act();
        // The embedded engine runs one transaction at a time, so `act` waits for the end of the pass.
        if (service.engine === "postgres") await acting;
      });
      expect(acting).toBeDefined();
      await acting;
    }

    test("new visits are not missed", async () => {
      const pool = await track();
      await growWhile(pool, () => pool.visit({ "google / cpc": 300 }));
      expect(await sourcesOf(service.api, pool.name)).toEqual([null, null]);
      await service.api.advanceClock({ by: "60s" });
      expect(await sourcesOf(service.api, pool.name)).toContain("google");
    });

    test("new numbers are not missed", async () => {
      const pool = await track({ size: 2, numbers: 2 });
      await service.api.updatePool({ ...pool.name, size: 4 });
      await pool.addNumbers(1);
      await growWhile(pool, () => pool.addNumbers(1));
      await service.server.runDue();
      expect(await sourcesOf(service.api, pool.name)).toHaveLength(3);
    });

    test("an update of the pool waits, and is not missed", async () => {
      const pool = await track();
      const changes: Promise<unknown>[] = [];
      await growWhile(pool, async () => changes.push(service.api.updatePool({ ...pool.name, size: 5 })));
      await Promise.all(changes);
      await service.server.runDue();
      expect(await sourcesOf(service.api, pool.name)).toHaveLength(5);
    });

    test("a crash of its server leaves the pool to another server when the lease expires", async () => {
      const pool = await track();
      await pool.visit({ "google / cpc": 300 });
      await service.api.updatePool({ ...pool.name, size: 2 });
      await claimAndDie(service.server);
      await service.server.runDue();
      expect(await sourcesOf(service.api, pool.name)).toEqual([null]);
      await service.api.advanceClock({ by: "60s" });
      expect(await sourcesOf(service.api, pool.name)).toContain("google");
    });

    test("a pool whose due time becomes visible late is found", async () => {
      const pool = await track({ size: 2 });
      const { db } = service.server.database;
      const rules = { ...DEFAULT_POOL_RULES, passIntervalMs: 100 };
      const runner = createRunner(db, { carrier: inventoryCarrier, rules });
      /** Returns whether `look` finds the pool. The last search before `look` found another pool, which became due `seconds` later. */
      const finds = async (look: () => Promise<void>, seconds: number) => {
        const other = await track();
        await makePoolDue(service.server, other.account.id, other.pool.id);
        await runner.runDue();
        await makePoolDue(service.server, pool.account.id, pool.pool.id, seconds);
        await look();
        return !(await isDue(db, pool.pool.id));
      };
      expect(await finds(runner.runNewlyDue, 30)).toBe(true);
      expect(await finds(runner.runNewlyDue, 3600)).toBe(false);
      expect(await finds(runner.runDue, 3600)).toBe(true);
      await makePoolDue(service.server, pool.account.id, pool.pool.id, 3600);
      runner.start();
      await expect.poll(() => isDue(db, pool.pool.id)).toBe(false);
      await makePoolDue(service.server, pool.account.id, pool.pool.id, 3600);
      await expect.poll(() => isDue(db, pool.pool.id)).toBe(false);
      await runner.stop();
    });
  },
  CONFIG,
);

describe("two servers on one PostgreSQL", async () => {
  const location = await createTestDatabase("postgres");
  const [one, other] = [await serveDatabase(location, CONFIG), await serveDatabase(location, CONFIG)];
  const api = createJsonClient(one.url);
  afterAll(async () => {
    for (const each of [one, other]) await each.stop();
  });
  const track = () => newTrackedPool({ api, server: one }, { size: 1, utilization: 1 });

  /** Runs `act` while the first server is blocked during the counting of visits. */
  async function whileCounting(pool: TrackedPool, act: () => Promise<unknown>): Promise<void> {
    const { kysely } = other.database;
    await pool.visit({ "google / cpc": 1 });
    const { counting } = await kysely.transaction().execute(async (transaction) => {
      await transaction.selectFrom("visit_counts").selectAll().forUpdate().execute();
      const counting = pool.visit({ "google / cpc": 300 });
      await expect.poll(() => countWaitingStatements(kysely)).toBe(1);
      await act();
      return { counting };
    });
    await counting;
  }

  /** Ends the lease of the first server, and lets the other one lease the pools. */
  async function outliveLease(): Promise<void> {
    const { db } = one.database;
    const clock = await readVirtualClock(db);
    await moveVirtualClock(db, clock, new Date(clock.now.getTime() + LEASE_MS), TEST_ORIGIN);
    await claimAndDie(other);
  }

  test("a pass on one server does not miss visits that the other is counting", async () => {
    const pool = await track();
    await whileCounting(pool, async () => {
      await api.updatePool({ ...pool.name, size: 2 });
      await other.runDue();
    });
    expect(await sourcesOf(api, pool.name)).toEqual([null, null]);
    await api.advanceClock({ by: "60s" });
    expect(await sourcesOf(api, pool.name)).toContain("google");
  });

  test("the first pass over a new pool does not miss visits that are being counted", async () => {
    const pool = await track();
    const { account, originalNumber, property: property_token, areaCode: area_code } = pool;
    const fields = createAutomanagedPoolFields(account, originalNumber, {
      property_token,
      area_code,
      size: 1,
      utilization: 1,
    });
    let name: RequestFields = {};
    await whileCounting(pool, async () => {
      name = getPoolKeyFields(account, await api.createPool(fields));
      await other.runDue();
    });
    expect(await sourcesOf(api, name)).toEqual([null]);
    await api.advanceClock({ by: "60s" });
    expect(await sourcesOf(api, name)).toEqual(["google"]);
  });

  test("a pass whose lease has expired does not affect the next server's lease", async () => {
    const pool = await track();
    await api.updatePool({ ...pool.name, size: 2 });
    await passMeanwhile(one, async () => {
      await pool.visit({ "google / cpc": 300 });
      await outliveLease();
    });
    expect(await sourcesOf(api, pool.name)).toEqual([null, null]);
    await api.advanceClock({ by: "60s" });
    expect(await sourcesOf(api, pool.name)).toContain("google");
  });

  test("a failed pass does not delay the pass that visits have requested meanwhile", async () => {
    const pool = await track();
    await api.updatePool({ ...pool.name, size: 2 });
    await one.database.kysely
      .updateTable("pool_passes")
      .set({ failures: 10 })
      .where("pool_id", "=", pool.pool.id)
      .execute();
    await passMeanwhile(one, async () => {
      await pool.visit({ "google / cpc": 300 });
      throw new Error("out of order");
    });
    expect(await api.explainPool(pool.name)).toMatchObject({ failed_passes: 11 });
    await api.advanceClock({ by: "60s" });
    expect(await sourcesOf(api, pool.name)).toContain("google");
  });

  test("a failed pass whose lease has expired does not affect the next server's lease", async () => {
    const pool = await track();
    await api.updatePool({ ...pool.name, size: 2 });
    await passMeanwhile(one, async () => {
      await outliveLease();
      throw new Error("out of order");
    });
    expect(await api.explainPool(pool.name)).toMatchObject({ failed_passes: 0 });
    expect(await isDue(other.database.db, pool.pool.id)).toBe(false);
    await api.advanceClock({ by: "60s" });
    expect(await sourcesOf(api, pool.name)).toEqual([null, null]);
  });
});

async function isDue(db: Executor, poolId: string): Promise<boolean> {
  return (await findDuePoolsStatement(db, { since: "-infinity", limit: 100 })).some((due) => due.pool_id === poolId);
}
