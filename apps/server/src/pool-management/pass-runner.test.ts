import { OutcomeUnknownError, runWithDeadline } from "@calltrack/postgres";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterEach, describe, expect, test } from "vitest";
import { inventoryCarrier } from "../api/inventory/inventory-carrier.js";
import { DEFAULT_POOL_RULES } from "../config/pool-rules.js";
import { describeBehavior } from "../testing/behavior.js";
import { countWaitingStatements } from "../testing/count-waiting.js";
import { createManualPoolFields } from "../testing/request-fields.js";
import { makePoolDue, newTrackedPool, type TrackedPool } from "../testing/tracked-pool.js";
import type { NumberCarrier } from "./number-carrier.js";
import { registerPassMetrics } from "./pass-metrics.js";
import { createPassRunner, type PassRunner } from "./pass-runner.js";
import { findDuePoolsStatement } from "./pass-schedule-statements.js";
import type { PassDependencies } from "./pool-pass.js";

/** Rules with which a runner checks for due passes every 10 ms, which is half the interval. */
const FREQUENT = { ...DEFAULT_POOL_RULES, passIntervalMs: 20 };

/** Rules with which a runner runs due passes only at its start, because the interval is longer than a test. */
const RARE = { ...DEFAULT_POOL_RULES, passIntervalMs: 24 * 3_600_000 };

describeBehavior(
  "a pass runner",
  (service) => {
    const db = () => service.server.database.db;
    const kysely = () => service.server.database.kysely;
    const runners: PassRunner[] = [];

    afterEach(async () => {
      for (const runner of runners.splice(0)) await runner.stop();
    });

    function createRunner(tools: Partial<PassDependencies> = {}): PassRunner {
      const all = { carrier: inventoryCarrier, rules: RARE, ...tools };
      const runner = createPassRunner(db(), all, registerPassMetrics(new Registry()), pino({ level: "silent" }));
      runners.push(runner);
      return runner;
    }

    /** Returns a carrier that runs `act` before its first search for numbers of an area code. */
    function carrierWith(areaCode: string, act: () => Promise<unknown>): NumberCarrier {
      let acts = true;
      return {
        ...inventoryCarrier,
        async search(executor, wanted, count) {
          if (wanted === areaCode && acts) {
            acts = false;
            await act();
          }
          return inventoryCarrier.search(executor, wanted, count);
        },
      };
    }

    /** Creates `count` pools that are due for a pass. Each pool lacks one call tracker. */
    async function newShortPools(count: number): Promise<readonly TrackedPool[]> {
      const pools: TrackedPool[] = [];
      for (let made = 0; made < count; made++) pools.push(await newTrackedPool(service, { size: 1 }));
      for (const { name } of pools) await service.api.updatePool({ ...name, size: 2 });
      return pools;
    }

    const newShortPool = async () => (await newShortPools(1))[0] as TrackedPool;

    const sizeOf = async ({ name }: TrackedPool) => (await service.api.listCallTrackers(name)).entries.length;

    /** Resolves when a pass has filled the pool. */
    const untilManaged = (pool: TrackedPool) => expect.poll(() => sizeOf(pool)).toBe(2);

    describe("runs due passes", () => {
      test("when it is started or woken, and not before", async () => {
        const runner = createRunner();
        const first = await newShortPool();
        runner.wake();
        await kysely().selectFrom("pool_passes").select("pool_id").execute();
        expect(await sizeOf(first)).toBe(1);
        runner.start();
        await untilManaged(first);
        const second = await newShortPool();
        runner.wake();
        await untilManaged(second);
      });

      test("at its interval", async () => {
        createRunner({ rules: FREQUENT }).start();
        for (let look = 0; look < 2; look++) await untilManaged(await newShortPool());
      });

      test("until no pool is due", async () => {
        const { account, originalNumber, areaCode: area_code } = await newShortPool();
        const fields = createManualPoolFields(account, originalNumber, { area_code, size: 1 });
        for (let count = 0; count < 101; count++) await service.api.createPool(fields);
        await createRunner().runDue();
        expect(await findDuePoolsStatement(db(), { since: "-infinity", limit: 1000 })).toEqual([]);
      });

      test("over as many pools that lack numbers as there are new ones, and passes no pool over", async () => {
        const pool = await newTrackedPool(service, { size: 1, numbers: 1 });
        const { account, originalNumber, areaCode: area_code, addNumbers } = pool;
        const fields = createManualPoolFields(account, originalNumber, { area_code, size: 1 });
        for (let count = 0; count < 5; count++) await service.api.createPool(fields);
        const runner = createRunner();
        await runner.runDue();
        const passes = () =>
          kysely()
            .selectFrom("pool_passes")
            .select(["pool_id", "passed_at"])
            .where("account_id", "=", account.id)
            .execute();
        const lacking = async () => {
          const { entries } = await service.api.listPoolSummaries({ account_id: account.account_token });
          return entries.filter(({ missing_numbers }) => missing_numbers !== 0).length;
        };
        expect(await lacking()).toBe(5);
        for (let left = 5; left > 0; left--) {
          const before = new Map((await passes()).map(({ pool_id, passed_at }) => [pool_id, passed_at?.getTime()]));
          await addNumbers(1);
          await runner.runDue();
          const after = await passes();
          expect(after.filter(({ pool_id, passed_at }) => passed_at?.getTime() !== before.get(pool_id))).toHaveLength(
            1,
          );
          expect(await lacking()).toBe(left - 1);
        }
      });

      test("over pools that lack numbers, after another pool has released some", async () => {
        const giving = await newTrackedPool(service, { size: 2, numbers: 2 });
        const { account, originalNumber, areaCode: area_code } = giving;
        const lacking = await service.api.createPool(
          createManualPoolFields(account, originalNumber, { area_code, size: 1 }),
        );
        const runner = createRunner();
        await runner.runDue();
        await service.api.updatePool({ ...giving.name, size: 1 });
        await runner.runDue();
        const { entries } = await service.api.listCallTrackers({ ...giving.name, pool_id: lacking.id });
        expect(entries).toHaveLength(1);
      });

      test("over long overdue pools, despite a concurrent request for new ones only", async () => {
        const [pool, old] = (await newShortPools(2)) as [TrackedPool, TrackedPool];
        await makePoolDue(service.server, old.account.id, old.pool.id, -3600);
        const runner = createRunner();
        await runner.runDue();
        expect([await sizeOf(pool), await sizeOf(old)]).toEqual([2, 1]);
        await makePoolDue(service.server, old.account.id, old.pool.id, 7200);
        await Promise.all([runner.runDue(), runner.runNewlyDue()]);
        expect(await sizeOf(old)).toBe(2);
      });

      test("even if the requesting caller gives up", async () => {
        const pool = await newShortPool();
        const caller = new AbortController();
        const carrier = carrierWith(pool.areaCode, async () => caller.abort());
        await runWithDeadline(caller.signal, () => createRunner({ carrier }).runDue());
        expect(await sizeOf(pool)).toBe(2);
      });
    });

    describe("stops", () => {
      test("after the running passes have ended", async () => {
        const pool = await newShortPool();
        let stopping: Promise<void> | undefined;
        let hasStopped = false;
        const carrier = carrierWith(pool.areaCode, async () => {
          stopping = runner.stop().then(() => {
            hasStopped = true;
          });
        });
        const buy: NumberCarrier["buy"] = async (...purchase) => {
          expect(hasStopped).toBe(false);
          await inventoryCarrier.buy(...purchase);
        };
        const runner = createRunner({ carrier: { ...carrier, buy } });
        await runner.runDue();
        await stopping;
        expect(await sizeOf(pool)).toBe(2);
      });

      test("without starting further passes", async () => {
        const pools = await newShortPools(4);
        const carrier: NumberCarrier = {
          ...inventoryCarrier,
          async search(...wanted) {
            void runner.stop();
            return inventoryCarrier.search(...wanted);
          },
        };
        const runner = createRunner({ carrier });
        await runner.runDue();
        const sizes = await Promise.all(pools.map(sizeOf));
        expect(sizes.filter((size) => size === 2).length).toBeLessThanOrEqual(2);
        await service.server.runDue();
        expect(await Promise.all(pools.map(sizeOf))).toEqual([2, 2, 2, 2]);
      });
    });

    // Not on the embedded engine, which runs one transaction at a time.
    test.skipIf(service.engine === "embedded")(
      "waits for a concurrent pass, if one fails because the database is unavailable",
      async () => {
        const [failing, other] = (await newShortPools(2)) as [TrackedPool, TrackedPool];
        const bothSearch = Promise.withResolvers<void>();
        let searching = 0;
        let hasBought = false;
        const carrier: NumberCarrier = {
          ...inventoryCarrier,
          async search(executor, areaCode, count) {
            if (++searching === 2) bothSearch.resolve();
            await bothSearch.promise;
            if (areaCode === failing.areaCode) throw new OutcomeUnknownError("lost");
            // The queries take long enough for the rollback of the failed pass, which the runner does not retry.
            for (let time = 0; time < 20; time++) await countWaitingStatements(kysely());
            return inventoryCarrier.search(executor, areaCode, count);
          },
          async buy(...purchase) {
            await inventoryCarrier.buy(...purchase);
            hasBought = true;
          },
        };
        await createRunner({ carrier }).runDue();
        expect(hasBought).toBe(true);
        expect(await sizeOf(other)).toBe(2);
      },
    );
  },
  { managesPools: false },
);
