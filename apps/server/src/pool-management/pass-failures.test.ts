import { DatabaseUnavailableError } from "@calltrack/postgres";
import { describe, expect, test } from "vitest";
import { inventoryCarrier } from "../api/inventory/inventory-carrier.js";
import { describeOnEngines } from "../testing/behaviour.js";
import { metricValue } from "../testing/metric-value.js";
import { makeDue, newTrackedPool, type TrackedPool } from "../testing/tracked-pool.js";
import type { NumberCarrier } from "./number-carrier.js";

const LEASE_MS = 60_000;

/** What searches for numbers of an area code fail with. */
const failures = new Map<string, Error>();

const faultyCarrier: NumberCarrier = {
  ...inventoryCarrier,
  async search(db, areaCode, count) {
    const failure = failures.get(areaCode);
    if (failure !== undefined) throw failure;
    return inventoryCarrier.search(db, areaCode, count);
  },
};

describeOnEngines(
  "a pass that fails",
  (service) => {
    const api = () => service.clients.json;
    const now = async () => Date.parse((await api().getClock()).now);
    const failed = () => metricValue(service.server.opsUrl, 'calltrack_passes_total{result="failed"}');

    /** A pool whose next passes fail, and that is due. */
    async function newFailingPool(failure: Error): Promise<TrackedPool> {
      const pool = await newTrackedPool({ api: api(), server: service.server }, { size: 1 });
      await api().updatePool({ ...pool.name, size: 2 });
      failures.set(pool.areaCode, failure);
      return pool;
    }

    /** Manages a pool, and gives the bounds of the pause until its next pass, in milliseconds. */
    async function pauseAfterPass({ account, pool, name }: TrackedPool) {
      await makeDue(service.server, account.id, pool.id);
      const before = await now();
      await service.server.runDue();
      const after = await now();
      const next = Date.parse((await api().explainPool(name)).next_pass_at ?? "");
      return { least: next - after, most: next - before };
    }

    async function expectPause(pool: TrackedPool, ms: number): Promise<void> {
      const { least, most } = await pauseAfterPass(pool);
      expect(least).toBeLessThanOrEqual(ms);
      expect(most).toBeGreaterThanOrEqual(ms);
    }

    test("is repeated after twice as long each time, and after 10 minutes at most", async () => {
      const pool = await newFailingPool(new Error("out of order"));
      for (let failure = 0; failure < 12; failure++) await expectPause(pool, Math.min(2 ** failure * 1000, 600_000));
      expect((await api().listCallTrackers(pool.name)).entries).toHaveLength(1);
      failures.clear();
    });

    test("is told with the pool, without its cause, until a pass succeeds", async () => {
      const pool = await newFailingPool(new Error("secret"));
      const before = await failed();
      await expectPause(pool, 1000);
      await expectPause(pool, 2000);
      expect(await failed()).toBe(before + 2);
      const explanation = await api().explainPool(pool.name);
      expect(explanation).toMatchObject({
        failed_passes: 2,
        last_failure: "an internal error: the service's log has the cause",
        warnings: ["the last 2 attempts to manage the pool failed"],
      });
      failures.clear();
      expect(await pool.pass()).toHaveLength(2);
      expect(await api().explainPool(pool.name)).toMatchObject({ failed_passes: 0, last_failure: null, warnings: [] });
      failures.set(pool.areaCode, new Error("secret"));
      await api().updatePool({ ...pool.name, size: 3 });
      await expectPause(pool, 1000);
      failures.clear();
    });

    test("keeps no other pool from being managed", async () => {
      const failing = await newFailingPool(new Error("out of order"));
      const pools = [];
      for (let count = 0; count < 3; count++) {
        const pool = await newTrackedPool({ api: api(), server: service.server }, { size: 1 });
        await api().updatePool({ ...pool.name, size: 2 });
        pools.push(pool);
      }
      await service.server.runDue();
      for (const { name } of pools) expect((await api().listCallTrackers(name)).entries).toHaveLength(2);
      expect(await api().explainPool(failing.name)).toMatchObject({ failed_passes: 1 });
      failures.clear();
    });

    describe("because the database is away", () => {
      test("is no failure of the pool, which is due again when the lease has expired", async () => {
        const pool = await newFailingPool(new DatabaseUnavailableError("away"));
        const before = await failed();
        await expectPause(pool, LEASE_MS);
        expect(await failed()).toBe(before);
        expect(await api().explainPool(pool.name)).toMatchObject({ failed_passes: 0, last_failure: null });
        failures.clear();
        await api().advanceClock({ by: "61s" });
        expect((await api().listCallTrackers(pool.name)).entries).toHaveLength(2);
      });
    });
  },
  { hasVirtualClock: true, managesPools: false, carrier: faultyCarrier },
);
