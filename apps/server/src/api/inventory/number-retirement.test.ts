import { afterEach, describe, expect, test } from "vitest";
import type { CallTrackerJson } from "../../testing/api-client.js";
import { describeBehavior, describeOnEngines } from "../../testing/behavior.js";
import { requireRefusal } from "../../testing/refusal.js";
import { describeChange, newTrackedPool, type TrackedPool, unscheduleAllPools } from "../../testing/tracked-pool.js";

const DAY_S = 86_400;

/** Formats each call tracker as `SOURCE STATUS`, or as its status if it has no source. */
function describeTrackers(trackers: readonly CallTrackerJson[]): string[] {
  return trackers.map(({ source, status }) => (source === null ? status : `${source} ${status}`));
}

describeBehavior(
  "a retired number",
  (service) => {
    const api = () => service.api;
    const track = (fields: Parameters<typeof newTrackedPool>[1]) => newTrackedPool(service, fields);
    const advance = (days: number) => service.clients.json.advanceClock({ by: `${Math.round(days * DAY_S)}s` });
    const trackersOf = async ({ name }: TrackedPool) => (await api().listCallTrackers(name)).entries;
    const retire = async (tracker: CallTrackerJson | undefined, immediately?: boolean) => {
      const retired = await api().retireTrackingNumber({ phone_number: tracker?.tracking_number, immediately });
      await service.server.runDue();
      return retired;
    };
    const historySince = async ({ name }: TrackedPool, since: number) =>
      (await api().listPoolHistory(name)).entries.slice(since).map(describeChange);
    const stateOf = async ({ areaCode }: TrackedPool, tracker: CallTrackerJson | undefined) =>
      (await api().listTrackingNumbers({ area_code: areaCode })).entries.find(
        ({ phone_number }) => phone_number === tracker?.tracking_number,
      );

    afterEach(() => unscheduleAllPools(service.server));

    describe("while an available call tracker holds it", () => {
      test.each(["manual", "automanaged"])("is replaced by the next pass in a pool that is %s", async (type) => {
        const pool = await track({ pool_type: type, size: 2, numbers: 3 });
        const [first, second] = await trackersOf(pool);
        expect(await retire(first)).toMatchObject({ state: "retiring", retires_immediately: false });
        const [kept, added, ...others] = await trackersOf(pool);
        expect([kept, others]).toEqual([second, []]);
        expect(added?.tracking_number).not.toBe(first?.tracking_number);
        expect(await stateOf(pool, first)).toMatchObject({ state: "retired", call_tracker_id: first?.id });
        expect(await historySince(pool, 2)).toEqual([
          "retiring -: its number was retired",
          "deleted -: the tracking number is being retired",
          "added -: the pool holds 1 of 2 call trackers",
        ]);
      });

      test("is not assigned to a new source in the same pass", async () => {
        const pool = await track({ size: 1, utilization: 1, numbers: 2 });
        const [first] = await trackersOf(pool);
        await pool.visit({ "google / cpc": 300 });
        await retire(first);
        const [holder] = await pool.pass();
        expect(holder).toMatchObject({ source: "google", status: "active" });
        expect(holder?.tracking_number).not.toBe(first?.tracking_number);
      });
    });

    describe("while an active call tracker of an automanaged pool holds it", () => {
      test("tracks calls for its grace period while its source gets another number, and never comes back", async () => {
        const pool = await track({ size: 2, utilization: 0.5, numbers: 3, visits: { "google / cpc": 300 } });
        const [first, spare] = pool.trackers;
        expect(describeTrackers([first, spare] as CallTrackerJson[])).toEqual(["google active", "available"]);
        const before = (await api().listPoolHistory(pool.name)).entries.length;
        await retire(first);
        expect(describeTrackers(await trackersOf(pool))).toEqual(["google flagged", "google active"]);
        expect(await stateOf(pool, first)).toMatchObject({ state: "retiring" });
        const shown = await api().resolveNumbers({ ...pool.page, source: "google", medium: "cpc" });
        expect(shown).toMatchObject([{ number: spare?.tracking_number }]);
        expect(await api().resolveCall({ tracking_number: first?.tracking_number })).toMatchObject({
          source: "google",
          held_until: null,
        });
        const explanation = await api().explainPool(pool.name);
        expect(explanation.sources).toMatchObject([
          { source: "google", call_tracker_id: spare?.id, status: "active", is_served: true },
        ]);
        const flagged = (await trackersOf(pool))[0];
        expect(explanation.retiring).toEqual([
          {
            call_tracker_id: first?.id,
            tracking_number: first?.tracking_number,
            status: "flagged",
            source: "google",
            medium: "cpc",
            immediately: false,
            deleted_at: expect.any(String),
            reason: expect.stringMatching(/^the call tracker tracks calls until /),
          },
        ]);
        const deletedAt = Date.parse(explanation.retiring[0]?.deleted_at ?? "");
        expect(deletedAt - Date.parse(flagged?.dropped_at ?? "")).toBe(30 * DAY_S * 1000);
        await advance(29);
        await pool.visit({ "google / cpc": 300 });
        await advance(1.1);
        expect((await trackersOf(pool)).map(({ id }) => id)).not.toContain(first?.id);
        expect(await stateOf(pool, first)).toMatchObject({ state: "retired" });
        expect(await historySince(pool, before)).toEqual([
          "retiring google: its number was retired",
          "flagged google: the tracking number is being retired",
          "activated google: google / cpc has rank 1 of 1",
          "deleted google: the tracking number is being retired: the call tracker was flagged 30 days ago",
          "added -: the pool holds 1 of 2 call trackers",
        ]);
        const { entries } = await api().listPoolHistory(pool.name);
        const deleted = entries.find(
          ({ kind, call_tracker_id }) => kind === "deleted" && call_tracker_id === first?.id,
        );
        expect(await api().resolveCall({ tracking_number: first?.tracking_number })).toMatchObject({
          source: "google",
          call_tracker_id: first?.id,
          held_until: deleted?.occurred_at,
        });
      });

      test("is replaced even if its call tracker is the older one", async () => {
        const pool = await track({ size: 2, utilization: 0.5, numbers: 2, visits: { "google / cpc": 300 } });
        await pool.visit({ "bing / cpc": 900 });
        const [older, newer] = await pool.pass();
        expect(describeTrackers([older, newer] as CallTrackerJson[])).toEqual(["google flagged", "bing active"]);
        await advance(29);
        await pool.visit({ "bing / cpc": 900 });
        await advance(1.1);
        expect(describeTrackers(await trackersOf(pool))).toEqual(["available", "bing active"]);
        await retire(newer);
        expect(describeTrackers(await trackersOf(pool))).toEqual(["bing active", "bing flagged"]);
      });

      test("may be one of several numbers that track calls of one source", async () => {
        const pool = await track({ size: 3, utilization: 0.3, numbers: 3, visits: { "google / cpc": 300 } });
        const [first, second] = pool.trackers;
        await retire(first);
        await retire(second);
        expect(describeTrackers(await trackersOf(pool))).toEqual(["google flagged", "google flagged", "google active"]);
        const { retiring, sources } = await api().explainPool(pool.name);
        expect(retiring.map(({ call_tracker_id }) => call_tracker_id)).toEqual([first?.id, second?.id]);
        expect(sources).toHaveLength(1);
      });

      test("is predicted by a plan", async () => {
        const pool = await track({ size: 2, utilization: 0.5, numbers: 3, visits: { "google / cpc": 300 } });
        const [first] = pool.trackers;
        await retire(first);
        expect((await api().planPoolUpdate(pool.name)).changes.map(describeChange)).toEqual([
          "deleted google: the tracking number is being retired: the call tracker was flagged 30 days ago",
          "added -: the pool holds 1 of 2 call trackers",
        ]);
      });
    });

    describe("immediately", () => {
      test.each(["active", "flagged"])("leaves an automanaged pool's call tracker that is %s", async (status) => {
        const pool = await track({ size: 1, utilization: 1, numbers: 2, visits: { "google / cpc": 300 } });
        if (status === "flagged") await pool.visit({ "bing / cpc": 900 });
        const [first] = await pool.pass();
        expect(first?.status).toBe(status);
        expect(await retire(first, true)).toMatchObject({ state: "retiring", retires_immediately: true });
        const [holder] = await trackersOf(pool);
        expect(holder).toMatchObject({ status: "active", source: status === "active" ? "google" : "bing" });
        expect(await stateOf(pool, first)).toMatchObject({ state: "retired", retires_immediately: true });
        expect((await historySince(pool, 0)).slice(-4)).toEqual([
          "retiring google: its number was retired immediately",
          "deleted google: the tracking number is retired immediately",
          "added -: the pool holds 0 of 1 call trackers",
          expect.stringMatching(/^activated /),
        ]);
        expect(await api().resolveCall({ tracking_number: first?.tracking_number })).toMatchObject({
          source: "google",
          held_until: expect.any(String),
        });
      });

      test("leaves a manual pool's call tracker that is active", async () => {
        const pool = await track({ pool_type: "manual", size: 1, numbers: 2 });
        const [first] = await trackersOf(pool);
        await api().updateCallTracker({ ...pool.name, call_tracker_id: first?.id });
        await retire(first, true);
        expect(describeTrackers(await trackersOf(pool))).toEqual(["available"]);
      });

      test("can be requested for a retiring number, and cannot be undone", async () => {
        const pool = await track({ size: 1, utilization: 1, numbers: 2, visits: { "google / cpc": 300 } });
        const [first] = pool.trackers;
        await service.api.updateAccount({ id: pool.account.id, is_active: false });
        expect(await retire(first)).toMatchObject({ state: "retiring", retires_immediately: false });
        const immediate = await retire(first, true);
        expect(immediate).toMatchObject({ state: "retiring", retires_immediately: true });
        expect(await retire(first)).toEqual(immediate);
        expect((await historySince(pool, 0)).slice(-2)).toEqual([
          "retiring google: its number was retired",
          "retiring google: its number was retired immediately",
        ]);
      });

      test("stays in a frozen pool until the account is enabled", async () => {
        const pool = await track({ size: 1, utilization: 1, numbers: 2, visits: { "google / cpc": 300 } });
        const [first] = pool.trackers;
        await api().updateAccount({ id: pool.account.id, is_active: false });
        await retire(first, true);
        await advance(40);
        expect(await trackersOf(pool)).toEqual([first]);
        expect(await stateOf(pool, first)).toMatchObject({ state: "retiring", retires_immediately: true });
        const { retiring } = await api().explainPool(pool.name);
        expect(retiring).toMatchObject([
          {
            immediately: true,
            deleted_at: null,
            reason: "the call tracker stays unchanged, because the account is disabled",
          },
        ]);
        const shown = await api().resolveNumbers({ ...pool.page, source: "google", medium: "cpc" });
        expect(shown).toEqual([]);
        await api().updateAccount({ id: pool.account.id, is_active: true });
        await service.server.runDue();
        expect((await trackersOf(pool)).map(({ id }) => id)).not.toContain(first?.id);
        expect(await stateOf(pool, first)).toMatchObject({ state: "retired" });
      });
    });

    test("stays with an active call tracker of a manual pool until it is flagged", async () => {
      const pool = await track({ pool_type: "manual", size: 1, numbers: 2 });
      const [first] = await trackersOf(pool);
      const named = { ...pool.name, call_tracker_id: first?.id };
      await api().updateCallTracker(named);
      await retire(first);
      await advance(40);
      expect(describeTrackers(await trackersOf(pool))).toEqual(["active"]);
      expect(await api().explainPool(pool.name)).toMatchObject({
        retiring: [{ deleted_at: null, reason: "the call tracker stays until a person flags it" }],
        warnings: ["flag 1 call tracker whose number is being retired"],
      });
      await api().updateCallTracker({ ...named, description: "last days" });
      await api().flagCallTracker(named);
      await advance(30.1);
      const [next, ...others] = await trackersOf(pool);
      expect([next?.status, others]).toEqual(["available", []]);
      expect(next?.tracking_number).not.toBe(first?.tracking_number);
    });

    test("is retired immediately if free or resting, and pools no longer wait for it", async () => {
      const pool = await track({ size: 1, numbers: 2 });
      const { entries } = await api().listTrackingNumbers({ area_code: pool.areaCode, state: "free" });
      const phone_number = entries[0]?.phone_number;
      for (const immediately of [true, false]) {
        expect(await api().retireTrackingNumber({ phone_number, immediately })).toMatchObject({
          state: "retired",
          retires_immediately: false,
        });
      }
    });

    test("rejects a value for `immediately` that is not a boolean", async () => {
      const pool = await track({ size: 1, numbers: 1 });
      const [first] = await trackersOf(pool);
      const call = service.clients.json.retireTrackingNumber({
        phone_number: first?.tracking_number,
        immediately: "yes",
      });
      expect(await requireRefusal(call)).toMatchObject({ violations: [{ field: "immediately" }] });
    });
  },
  { hasVirtualClock: true },
);

describeOnEngines("during retirements", (service) => {
  test("passes continue, and finally no call tracker holds a retired number", async () => {
    const api = service.clients.grpc;
    const pool = await newTrackedPool({ api, server: service.server }, { size: 20, utilization: 1, numbers: 60 });
    await pool.visit(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`s${i} / cpc`, 200 + i])));
    const trackers = await pool.pass();
    const retired = trackers.map(({ tracking_number }) => tracking_number);
    await Promise.all([
      ...retired.map((phone_number) => api.retireTrackingNumber({ phone_number, immediately: true })),
      pool.pass(),
      api.updatePool({ ...pool.name, size: 25 }),
    ]);
    await service.server.runDue();
    const after = (await api.listCallTrackers(pool.name)).entries;
    expect(after.filter(({ tracking_number }) => retired.includes(tracking_number))).toEqual([]);
    expect(after.filter(({ status }) => status === "active")).toHaveLength(20);
    const { entries } = await api.listTrackingNumbers({ area_code: pool.areaCode, state: "retired" });
    expect(entries.map(({ phone_number }) => phone_number).toSorted()).toEqual(retired.toSorted());
  });
});
