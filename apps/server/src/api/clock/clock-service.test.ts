import { expect, test } from "vitest";
import { moveVirtualClock, readVirtualClock } from "../../clock/clock.js";
import { DEFAULT_POOL_RULES } from "../../config/pool-rules.js";
import { describeBehavior } from "../../testing/behavior.js";
import { TEST_ORIGIN } from "../../testing/credentials.js";
import { requireRefusedFields } from "../../testing/refusal.js";
import { TIMESTAMP } from "../../testing/timestamp.js";
import { makePoolDue, newTrackedPool } from "../../testing/tracked-pool.js";
import { advanceClock } from "./clock-service.js";

const DAY_MS = 86_400_000;

describeBehavior("ClockService with the real clock", (service) => {
  test("returns the time, and rejects a request to advance the clock", async () => {
    const clock = await service.api.getClock();
    expect(clock).toEqual({ now: expect.stringMatching(TIMESTAMP), is_virtual: false });
    expect(Math.abs(Date.parse(clock.now) - Date.now())).toBeLessThan(60_000);
    await expect(service.api.advanceClock({ by: "60s" })).rejects.toThrow("FAILED_PRECONDITION CLOCK_NOT_VIRTUAL");
  });
});

describeBehavior(
  "ClockService with a virtual clock",
  (service) => {
    const now = async () => Date.parse((await service.api.getClock()).now);

    async function moveTo(time: Date): Promise<boolean> {
      const { db } = service.server.database;
      return moveVirtualClock(db, await readVirtualClock(db), time, TEST_ORIGIN);
    }

    test("advances the clock", async () => {
      const before = await now();
      const { now: after, is_virtual } = await service.api.advanceClock({ by: "86400s" });
      expect(Date.parse(after) - before).toBeGreaterThanOrEqual(DAY_MS);
      expect(is_virtual).toBe(true);
    });

    test("advances the clock by the sum of concurrent requests", async () => {
      const before = await now();
      await Promise.all([1, 2, 3].map(() => service.api.advanceClock({ by: "86400s" })));
      expect((await now()) - before).toBeGreaterThanOrEqual(3 * DAY_MS);
    });

    test.each([undefined, "0s", "-1s", "315576000000s"])("rejects a request to advance the clock by %s", async (by) => {
      const before = await now();
      expect(await requireRefusedFields(service.api.advanceClock({ by }))).toEqual(["by"]);
      expect(await now()).toBeLessThan(before + DAY_MS);
    });

    /** Creates two manual pools with the same area code: one has all its numbers, and the other still needs one number. */
    async function newPools(size: number) {
      const giving = await newTrackedPool(service, { pool_type: "manual", size, numbers: size });
      const fields = { pool_type: "manual", size: 1, area_code: giving.areaCode, numbers: 0 };
      return { giving, lacking: await newTrackedPool(service, fields) };
    }

    test("runs a pass when the rest period ends for a number that a pool needs", async () => {
      const { giving, lacking } = await newPools(1);
      const [held] = giving.trackers;
      const named = { ...giving.name, call_tracker_id: held?.id };
      await service.api.updateCallTracker(named);
      await service.api.flagCallTracker(named);
      await service.api.updatePool({ ...giving.name, area_code: "1" });
      const before = await now();
      await service.api.advanceClock({ by: "7776000s" });
      const [taken] = (await service.api.listCallTrackers(lacking.name)).entries;
      expect(taken?.tracking_number).toBe(held?.tracking_number);
      const days = (Date.parse(taken?.created_at ?? "") - before) / DAY_MS;
      expect(days).toBeCloseTo(30 + 7, 1);
    });

    test("misses no number whose rest period ends during a pass", async () => {
      const { giving, lacking } = await newPools(2);
      await service.api.updatePool({ ...giving.name, size: 1 });
      await service.server.runDue();
      const { db } = service.server.database;
      const { entries } = await service.api.listTrackingNumbers({ area_code: giving.areaCode, state: "resting" });
      const restsUntil = new Date(entries[0]?.rests_until ?? "");
      let isFirst = true;
      const runner = {
        async runDue() {
          await service.server.runDue();
          if (isFirst) await moveTo(new Date(restsUntil.getTime() + 1));
          isFirst = false;
        },
      };
      await advanceClock(db, 40 * DAY_MS, runner, new AbortController().signal, TEST_ORIGIN);
      const [taken] = (await service.api.listCallTrackers(lacking.name)).entries;
      const hours = (Date.parse(taken?.created_at ?? "") - restsUntil.getTime()) / (DAY_MS / 24);
      expect(hours).toBeLessThan(1);
    });

    test("runs due passes at the end", async () => {
      const { db } = service.server.database;
      const seen: number[] = [];
      const runner = { runDue: async () => void seen.push(await now()) };
      const before = await now();
      await advanceClock(db, 60_000, runner, new AbortController().signal, TEST_ORIGIN);
      expect(seen.at(-1)).toBeGreaterThanOrEqual(before + 60_000);
    });

    test("stops when the client disconnects", async () => {
      const pool = await newTrackedPool(service, { pool_type: "manual", size: 1 });
      await makePoolDue(service.server, pool.account.id, pool.pool.id, -60);
      const caller = new AbortController();
      const runner = { runDue: async () => caller.abort() };
      const before = await now();
      const advancing = advanceClock(service.server.database.db, DAY_MS, runner, caller.signal, TEST_ORIGIN);
      await expect(advancing).rejects.toThrow("aborted");
      expect(await now()).toBeLessThan(before + DAY_MS);
    });

    test("never moves the clock back", async () => {
      const before = await now();
      expect(await moveTo(new Date(before - DAY_MS))).toBe(true);
      expect(await now()).toBeGreaterThanOrEqual(before);
    });
  },
  { hasVirtualClock: true, managesPools: false, poolRules: { ...DEFAULT_POOL_RULES, numberRestMs: 7 * DAY_MS } },
);
