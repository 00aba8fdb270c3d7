import { afterEach, describe, expect, test } from "vitest";
import type { CallTrackerJson, RequestFields } from "../testing/api-client.js";
import { describeBehavior } from "../testing/behavior.js";
import { TIMESTAMP } from "../testing/timestamp.js";
import { describeChange, newTrackedPool, type TrackedPool, unscheduleAllPools } from "../testing/tracked-pool.js";

const DAY_S = 86_400;

/**
 * Returns the source and status of each call tracker, sorted. Examples are `google / cpc active`, and `available` for a call tracker without a
 * source.
 */
function holders(trackers: readonly CallTrackerJson[]): string[] {
  return trackers
    .map(({ source, medium, status }) => (source === null ? status : `${source} / ${medium} ${status}`))
    .toSorted();
}

describeBehavior(
  "a pass over a pool",
  (service) => {
    const track = (fields: Parameters<typeof newTrackedPool>[1] = {}): Promise<TrackedPool> =>
      newTrackedPool(service, fields);
    const advance = (days: number) => service.api.advanceClock({ by: `${days * DAY_S}s` });
    const history = async ({ name }: TrackedPool) => (await service.api.listPoolHistory(name)).entries;
    const trackersOf = async ({ name }: TrackedPool) => (await service.api.listCallTrackers(name)).entries;

    /** Updates a pool, and returns its call trackers after the pass that the update makes due. */
    async function update(pool: TrackedPool, fields: RequestFields): Promise<readonly CallTrackerJson[]> {
      await service.api.updatePool({ ...pool.name, ...fields });
      await service.server.runDue();
      return trackersOf(pool);
    }

    afterEach(() => unscheduleAllPools(service.server));

    describe("of an automanaged pool", () => {
      test("runs immediately after the pool is created, and fills it with available call trackers", async () => {
        const pool = await track({ size: 3 });
        const trackers = await trackersOf(pool);
        expect(holders(trackers)).toEqual(["available", "available", "available"]);
        expect(trackers[0]).toMatchObject({
          original_number: pool.originalNumber,
          original_number_id: pool.pool.original_number_id,
          pool_id: pool.pool.id,
          description: null,
          dropped_at: null,
        });
        expect((await history(pool)).map(describeChange)).toEqual([
          "added -: the pool holds 0 of 3 call trackers",
          "added -: the pool holds 1 of 3 call trackers",
          "added -: the pool holds 2 of 3 call trackers",
        ]);
      });

      test("gives a call tracker to the best sources with more than 100 visits", async () => {
        const visits = { "google / cpc": 300, "bing / cpc": 200, "news / email": 150, "blog / referral": 100 };
        const pool = await track({ size: 4, utilization: 0.5, visits });
        const free = ["available", "available"];
        expect(holders(pool.trackers)).toEqual([...free, "bing / cpc active", "google / cpc active"]);
        const one = await track({ size: 4, utilization: 1, visits: { "google / cpc": 101, "bing / cpc": 100 } });
        expect(holders(one.trackers)).toEqual([...free, "available", "google / cpc active"]);
      });

      test("computes the share of the size exactly: 0.58 of 50 is 29", async () => {
        const visits = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`source${i} / cpc`, 200 + i]));
        const pool = await track({ size: 50, utilization: 0.58, numbers: 50, visits });
        const active = pool.trackers.filter(({ status }) => status === "active");
        expect(active).toHaveLength(29);
        expect(active.map(({ source }) => source)).not.toContain("source10");
      });

      test("serves at least one source, and in a tie the one that has a call tracker", async () => {
        const pool = await track({ size: 2, utilization: 0 });
        expect(holders(await pool.pass({ "zeta / cpc": 200 }))).toContain("zeta / cpc active");
        expect(holders(await pool.pass({ "alpha / cpc": 200 }))).toEqual(["available", "zeta / cpc active"]);
        expect(holders(await pool.pass({ "alpha / cpc": 1 }))).toEqual(["alpha / cpc active", "zeta / cpc flagged"]);
      });

      test("reassigns no numbers when ranks change among served sources", async () => {
        const pool = await track({ size: 4, utilization: 0.5, visits: { "google / cpc": 300, "bing / cpc": 200 } });
        expect(await pool.pass({ "bing / cpc": 1000 })).toEqual(pool.trackers);
      });

      test("flags the call tracker of a source that drops out, and unflags it when the source returns", async () => {
        const pool = await track({ size: 4, utilization: 0.25 });
        const [held] = (await pool.pass({ "google / cpc": 300 })).filter(({ status }) => status === "active");
        const flagged = (await pool.pass({ "bing / cpc": 500 })).find(({ id }) => id === held?.id);
        expect(flagged).toMatchObject({ status: "flagged", source: "google", medium: "cpc" });
        expect(flagged?.dropped_at).toEqual(expect.stringMatching(TIMESTAMP));
        const saved = (await pool.pass({ "google / cpc": 500 })).find(({ id }) => id === held?.id);
        expect(saved).toMatchObject({ status: "active", source: "google", dropped_at: null });
        expect(saved?.tracking_number).toBe(held?.tracking_number);
      });

      test("frees a call tracker after 30 days, and reuses it only in the next pass", async () => {
        const pool = await track({ size: 1, utilization: 1, numbers: 1, visits: { "google / cpc": 300 } });
        expect(holders(await pool.pass({ "bing / cpc": 500 }))).toEqual(["google / cpc flagged"]);
        await advance(29);
        expect(holders(await trackersOf(pool))).toEqual(["google / cpc flagged"]);
        await pool.visit({ "bing / cpc": 500 });
        await advance(1.01);
        expect(holders(await trackersOf(pool))).toEqual(["bing / cpc active"]);
        // Two passes made these changes, because a single pass would record them in the reverse order.
        expect((await history(pool)).slice(-2).map(describeChange)).toEqual([
          "deactivated google: the call tracker was flagged 30 days ago",
          "activated bing: bing / cpc has rank 1 of 1",
        ]);
      });

      test("keeps a call tracker whose grace period has ended if its source returned before", async () => {
        const pool = await track({ size: 1, utilization: 1, numbers: 1, visits: { "google / cpc": 300 } });
        await pool.pass({ "bing / cpc": 500 });
        await advance(29.99);
        await pool.visit({ "google / cpc": 900 });
        await advance(0.02);
        expect(holders(await trackersOf(pool))).toEqual(["google / cpc active"]);
      });

      test("never deletes active or flagged call trackers to shrink a pool", async () => {
        const pool = await track({ size: 4, utilization: 1, numbers: 4 });
        await pool.pass({ "a / x": 400, "b / x": 300, "c / x": 200 });
        expect(holders(await update(pool, { size: 1 }))).toEqual(["a / x active", "b / x flagged", "c / x flagged"]);
        await advance(31);
        expect(await trackersOf(pool)).toHaveLength(1);
        const counts = await service.api.countTrackingNumbers({ area_code: pool.areaCode });
        expect(counts).toMatchObject([{ free: 3, assigned: 1 }]);
      });

      test("lets an available call tracker serve a source before it can be deleted", async () => {
        const pool = await track({ size: 3, utilization: 0.67, visits: { "a / x": 400 } });
        await pool.visit({ "b / x": 300 });
        expect(holders(await update(pool, { size: 2, utilization: 1 }))).toEqual(["a / x active", "b / x active"]);
      });

      test("uses a changed area code only for new call trackers", async () => {
        const pool = await track({ size: 2, numbers: 5 });
        const other = await track({ size: 1, numbers: 5 });
        const after = await update(pool, { area_code: other.areaCode, size: 3 });
        expect(after.slice(0, 2)).toEqual(pool.trackers);
        const { entries } = await service.api.listTrackingNumbers({ area_code: other.areaCode, state: "assigned" });
        expect(entries.map(({ phone_number }) => phone_number)).toContain(after[2]?.tracking_number);
      });

      test("changes nothing when it is repeated with the same input", async () => {
        const pool = await track({ size: 4, utilization: 0.5, visits: { "google / cpc": 300, "bing / cpc": 200 } });
        const before = await history(pool);
        expect(await pool.pass()).toEqual(pool.trackers);
        expect(await history(pool)).toEqual(before);
      });

      test("fills the pool as far as numbers suffice, and the rest when new ones arrive", async () => {
        const pool = await track({ size: 3, utilization: 1, numbers: 1 });
        expect(holders(await pool.pass({ "google / cpc": 300, "bing / cpc": 200 }))).toEqual(["google / cpc active"]);
        const explanation = await service.api.explainPool(pool.name);
        expect(explanation).toMatchObject({ missing_numbers: 2, unserved_sources: 1 });
        await pool.addNumbers(2);
        await service.server.runDue();
        expect(holders(await trackersOf(pool))).toEqual(["available", "bing / cpc active", "google / cpc active"]);
      });

      test("skips pools of a disabled account, and resumes when it is enabled", async () => {
        const pool = await track({ size: 2, utilization: 1 });
        await pool.visit({ "google / cpc": 300 });
        await service.api.updateAccount({ id: pool.account.id, is_active: false });
        await service.api.updatePool({ ...pool.name, size: 3 });
        expect(holders(await pool.pass())).toEqual(["available", "available"]);
        await service.api.updateAccount({ id: pool.account.id, is_active: true });
        await service.server.runDue();
        expect(holders(await trackersOf(pool))).toEqual(["available", "available", "google / cpc active"]);
      });

      test("ignores visits that have left the window of 30 days", async () => {
        const pool = await track({ size: 1, utilization: 1, visits: { "google / cpc": 300 } });
        await advance(28);
        expect(holders(await trackersOf(pool))).toEqual(["google / cpc active"]);
        await advance(2);
        expect(holders(await trackersOf(pool))).toEqual(["google / cpc flagged"]);
      });

      test("releases the numbers of deleted call trackers, and another pool takes them", async () => {
        const pool = await track({ size: 2, numbers: 2 });
        const wanting = await track({ size: 2, numbers: 0, area_code: pool.areaCode });
        expect(await trackersOf(wanting)).toEqual([]);
        expect(await update(pool, { size: 1 })).toHaveLength(1);
        expect(await trackersOf(wanting)).toHaveLength(1);
      });
    });

    describe("of a manual pool", () => {
      test("fills the pool, and leaves manually activated call trackers alone, whatever the visits", async () => {
        const pool = await track({ pool_type: "manual", size: 2 });
        const [first] = pool.trackers;
        await service.api.updateCallTracker({ ...pool.name, call_tracker_id: first?.id, description: "leaflet" });
        expect(await pool.pass({ "google / cpc": 5000 })).toMatchObject([
          { status: "active" },
          { status: "available" },
        ]);
      });

      test("replaces a flagged call tracker after 30 days", async () => {
        const pool = await track({ pool_type: "manual", size: 2, numbers: 2 });
        const [first] = pool.trackers;
        const named = { ...pool.name, call_tracker_id: first?.id };
        await service.api.updateCallTracker(named);
        await service.api.flagCallTracker(named);
        await advance(29.9);
        expect(await trackersOf(pool)).toMatchObject([{ status: "flagged" }, { status: "available" }]);
        await advance(0.2);
        expect(holders(await trackersOf(pool))).toEqual(["available", "available"]);
        expect((await history(pool)).slice(-4).map(({ kind }) => kind)).toEqual([
          "activated",
          "flagged",
          "deleted",
          "added",
        ]);
      });

      test("deletes only available call trackers when the pool shrinks", async () => {
        const pool = await track({ pool_type: "manual", size: 3 });
        const [first] = pool.trackers;
        await service.api.updateCallTracker({ ...pool.name, call_tracker_id: first?.id });
        expect(holders(await update(pool, { size: 1 }))).toEqual(["active"]);
      });
    });
  },
  { hasVirtualClock: true },
);
