import { afterEach, describe, expect, test } from "vitest";
import type { CallTrackerChangeJson } from "../testing/api-client.js";
import { describeBehavior } from "../testing/behavior.js";
import { requireRefusal, requireRefusedFields } from "../testing/refusal.js";
import { uniqueToken } from "../testing/request-fields.js";
import { newTrackedPool, unscheduleAllPools } from "../testing/tracked-pool.js";

const NO_ID = "019aa34f-5c1d-7e52-8c3a-0b1d5f6a7c8e";

/**
 * Returns the fields of a change that plans and the history share, as one text. Times are truncated to minutes, because a pass runs shortly after its
 * due time.
 */
function effect({ occurred_at, kind, tracking_number, source, medium, reason }: CallTrackerChangeJson): string {
  return `${occurred_at.slice(0, 16)} ${kind} ${tracking_number} ${source} ${medium}: ${reason}`;
}

describeBehavior(
  "a plan predicts the actual changes",
  (service) => {
    afterEach(() => unscheduleAllPools(service.server));

    test.each([
      ["a shrink", { size: 2 }],
      ["a smaller share", { utilization: 0.2 }],
      ["growth", { size: 8 }],
      ["growth and a greater share", { size: 7, utilization: 1 }],
    ])("%s, with the clock advanced 31 days", async (_, update) => {
      const { api } = service;
      const visits = { "a / x": 500, "b / x": 400, "c / x": 300, "d / x": 200, "e / x": 150 };
      const pool = await newTrackedPool(service, { size: 5, utilization: 0.8, numbers: 7, visits });
      const { changes: planned } = await api.planPoolUpdate({ ...pool.name, ...update });
      const before = (await api.listPoolHistory(pool.name)).entries.length;
      await api.updatePool({ ...pool.name, ...update });
      await service.server.runDue();
      // A plan assumes constant visits, so new visits replace those that leave the window each day.
      for (let day = 0; day < 31; day++) {
        await pool.visit(visits);
        await api.advanceClock({ by: "86400s" });
      }
      const happened = (await api.listPoolHistory(pool.name)).entries.slice(before);
      expect(planned.length).toBeGreaterThan(0);
      expect(happened.map(effect)).toEqual(planned.map(effect));
    });
  },
  { hasVirtualClock: true },
);

describeBehavior("plans and explanations", (service) => {
  const track = (fields: Parameters<typeof newTrackedPool>[1]) => newTrackedPool(service, fields);

  describe("PlanPoolUpdate", () => {
    test("lists the call trackers to be flagged, freed and deleted with times, and changes nothing", async () => {
      const visits = { "google / cpc": 300, "bing / cpc": 200 };
      const pool = await track({ size: 4, utilization: 0.5, numbers: 4, visits });
      const plan = await service.api.planPoolUpdate({ ...pool.name, size: 2 });
      const day = (change: CallTrackerChangeJson | undefined) =>
        Math.round(Math.abs(Date.parse(change?.occurred_at ?? "") - Date.now()) / 86_400_000);
      expect(plan.changes.map(({ kind, source }) => [kind, source])).toEqual([
        ["flagged", "bing"],
        ["deleted", null],
        ["deleted", null],
        ["deactivated", "bing"],
      ]);
      expect(plan.changes.map(day)).toEqual([0, 0, 0, 30]);
      expect(plan.changes[0]).toMatchObject({
        call_tracker_id: pool.trackers.find(({ source }) => source === "bing")?.id,
        reason: "bing / cpc has rank 2 of 1",
        happens_anyway: false,
      });
      expect(plan).toMatchObject({ unserved_sources: 0, missing_numbers: 0 });
      expect((await service.api.listCallTrackers(pool.name)).entries).toEqual(pool.trackers);
      expect(await service.api.getPool(pool.name)).toMatchObject({ size: 4 });
    });

    test("lists the numbers that a pass would take, longest free first", async () => {
      const pool = await track({ size: 3, numbers: 3 });
      const [first, second, third] = (await pool.pass()).map(({ tracking_number }) => tracking_number);
      for (const size of [2, 1]) {
        await service.api.updatePool({ ...pool.name, size });
        await pool.pass();
      }
      const { changes } = await service.api.planPoolUpdate({ ...pool.name, size: 3 });
      await service.api.updatePool({ ...pool.name, size: 3 });
      expect((await pool.pass()).map(({ tracking_number }) => tracking_number)).toEqual([first, third, second]);
      expect(changes.map(({ tracking_number }) => tracking_number)).toEqual([third, second]);
    });

    test("marks changes that would also happen without the update", async () => {
      const pool = await track({ size: 2, utilization: 0.5, numbers: 2, visits: { "google / cpc": 300 } });
      await pool.pass({ "bing / cpc": 900 });
      const { changes } = await service.api.planPoolUpdate({ ...pool.name, size: 3 });
      expect(changes.map(({ kind, happens_anyway }) => [kind, happens_anyway])).toEqual([["deactivated", true]]);
    });

    test("reports the numbers that the inventory would lack", async () => {
      const pool = await track({ size: 2, numbers: 3 });
      expect(await service.api.planPoolUpdate({ ...pool.name, size: 5 })).toMatchObject({
        changes: [{ kind: "added" }],
        missing_numbers: 2,
      });
      expect(await service.api.planPoolUpdate({ ...pool.name, size: 3, area_code: "99999" })).toMatchObject({
        changes: [],
        missing_numbers: 1,
      });
    });

    test("rejects the same requests as UpdatePool", async () => {
      const pool = await track({ numbers: 0 });
      expect(await requireRefusedFields(service.api.planPoolUpdate({ ...pool.name, size: 0, utilization: 2 }))).toEqual(
        ["size", "utilization"],
      );
      for (const method of [service.api.planPoolUpdate, service.api.explainPool, service.api.listPoolHistory]) {
        expect(await requireRefusal(method({ ...pool.name, pool_id: NO_ID }))).toMatchObject({
          reason: "POOL_NOT_FOUND",
        });
        expect(await requireRefusal(method({ ...pool.name, account_id: uniqueToken() }))).toMatchObject({
          reason: "ACCOUNT_NOT_FOUND",
        });
      }
    });
  });

  describe("ExplainPool", () => {
    test("lists every source with its visits, its rank and the reason", async () => {
      const visits = { "google / cpc": 300, "bing / cpc": 200, "news / email": 150, "blog / referral": 100 };
      const pool = await track({ size: 4, utilization: 0.5, visits });
      const explanation = await service.api.explainPool(pool.name);
      const numberOf = (name: string) => pool.trackers.find(({ source }) => source === name)?.tracking_number ?? null;
      expect(explanation.sources).toMatchObject([
        { source: "google", visits: 300, rank: 1, status: "active", is_served: true },
        { source: "bing", visits: 200, rank: 2, status: "active", is_served: true },
        { source: "news", visits: 150, rank: 3, status: "unspecified", is_served: false, reason: "rank 3 of 2" },
        { source: "blog", visits: 100, rank: 4, is_served: false, reason: "100 visits, needs 101" },
      ]);
      expect(explanation.sources.map(({ tracking_number }) => tracking_number)).toEqual([
        numberOf("google"),
        numberOf("bing"),
        null,
        null,
      ]);
      expect(explanation).toMatchObject({
        source_count: 4,
        serves_at_most: 2,
        visits_needed: 200,
        window_days: 30,
        unserved_sources: 0,
        missing_numbers: 0,
        next_free_at: null,
        advised_size: 6,
        available: 2,
        active: 2,
        flagged: 0,
        failed_passes: 0,
        last_failure: null,
        unattributed_visits: 0,
        warnings: [],
      });
      expect(Date.parse(explanation.last_pass_at ?? "")).toBeGreaterThan(Date.now() - 60_000);
      expect(explanation.next_pass_at?.slice(11)).toBe("00:00:00.000Z");
    });

    test("shows the changes of a due pass as pending", async () => {
      const pool = await track({ size: 1, utilization: 1 });
      await pool.visit({ "google / cpc": 300 });
      const [tracker] = (await service.api.listCallTrackers(pool.name)).entries;
      expect(await service.api.explainPool(pool.name)).toMatchObject({
        sources: [
          {
            tracking_number: null,
            status: "unspecified",
            is_served: false,
            reason: `the source gets ${tracker?.tracking_number} in the next pass`,
          },
        ],
        active: 0,
        available: 1,
      });
      await pool.pass();
      expect(await service.api.explainPool(pool.name)).toMatchObject({
        sources: [{ tracking_number: tracker?.tracking_number, status: "active", is_served: true }],
        active: 1,
      });
    });

    test("warns of unserved sources and missing numbers, and says when the next number is free", async () => {
      const pool = await track({ size: 3, utilization: 1, numbers: 1, visits: { "google / cpc": 300 } });
      await pool.pass({ "a / x": 900, "b / x": 800, "c / x": 700 });
      const explanation = await service.api.explainPool(pool.name);
      expect(explanation).toMatchObject({ unserved_sources: 3, missing_numbers: 2, flagged: 1 });
      expect(explanation.warnings).toEqual([
        "3 sources without a call tracker: raise size to 4",
        `the inventory lacks 2 numbers of area code ${pool.areaCode}: add numbers`,
      ]);
      const freeIn = Date.parse(explanation.next_free_at ?? "") - Date.now();
      expect(Math.round(freeIn / 86_400_000)).toBe(30);
    });

    test("shows the call trackers of a disabled account's pool, and no next pass", async () => {
      const pool = await track({ size: 2, utilization: 0.5, numbers: 2, visits: { "google / cpc": 300 } });
      const trackers = await pool.pass({ "bing / cpc": 900 });
      await pool.visit({ "news / email": 1000 });
      await service.api.updateAccount({ id: pool.account.id, is_active: false });
      await service.api.updatePool({ ...pool.name, size: 20 });
      const held = (name: string) => {
        const { id, tracking_number, status } = trackers.find(({ source }) => source === name) ?? {};
        return { call_tracker_id: id, tracking_number, status, is_served: status === "active" };
      };
      const numberOf = (name: string) => held(name).tracking_number;
      const explanation = await service.api.explainPool(pool.name);
      expect(explanation).toMatchObject({
        is_frozen: true,
        unserved_sources: 2,
        missing_numbers: 0,
        next_free_at: null,
        next_pass_at: null,
        warnings: ["call tracking is disabled for the account: the pool does not change"],
      });
      expect(explanation.sources).toMatchObject([
        {
          source: "news",
          is_served: false,
          reason: "rank 1 of 10: the source gets no number, because the account is disabled",
        },
        { source: "bing", ...held("bing"), reason: `the source holds ${numberOf("bing")} with rank 2 of 10` },
        {
          source: "google",
          ...held("google"),
          reason: `rank 3 of 10: the source keeps ${numberOf("google")}, because the account is disabled`,
        },
      ]);
      expect(await service.api.planPoolUpdate({ ...pool.name, size: 1 })).toMatchObject({
        changes: [],
        is_frozen: true,
        missing_numbers: 0,
      });
    });

    test("counts the call trackers of a manual pool, and says whether it is frozen", async () => {
      const pool = await track({ pool_type: "manual", size: 2 });
      const [first] = await pool.pass();
      await service.api.updateCallTracker({ ...pool.name, call_tracker_id: first?.id });
      await service.api.updateAccount({ id: pool.account.id, is_active: false });
      expect(await service.api.explainPool(pool.name)).toMatchObject({
        sources: [],
        visits_needed: null,
        active: 1,
        available: 1,
        warnings: ["call tracking is disabled for the account: the pool does not change"],
      });
    });

    test.each([
      [{ is_dni: true, property_token: undefined }, true],
      [{ is_dni: true, property_token: uniqueToken("property") }, false],
      [{ is_dni: false, property_token: undefined }, false],
    ])("warns if no page can show the numbers of a manual pool: %o", async (fields, isWarned) => {
      const pool = await track({ pool_type: "manual", size: 1, ...fields });
      expect((await service.api.explainPool(pool.name)).warnings).toEqual(
        isWarned
          ? [
              "no page can show the numbers of this pool, because it has no property: create a pool for DNI with a property_token",
            ]
          : [],
      );
    });
  });

  describe("ListPoolHistory", () => {
    test("lists every change of every call tracker in order, page by page", async () => {
      const pool = await track({ size: 2, utilization: 1, numbers: 2, visits: { "google / cpc": 300 } });
      await pool.pass({ "a / x": 900, "b / x": 800 });
      await service.api.updatePool({ ...pool.name, size: 1 });
      await service.server.runDue();
      const { entries } = await service.api.listPoolHistory(pool.name);
      expect(entries.map(({ kind, source }) => `${kind} ${source}`)).toEqual([
        "added null",
        "added null",
        "activated google",
        "flagged google",
        "activated a",
      ]);
      expect(entries.map(({ occurred_at }) => occurred_at)).toEqual(
        entries.map(({ occurred_at }) => occurred_at).toSorted(),
      );
      const first = await service.api.listPoolHistory({ ...pool.name, page_size: 3 });
      const second = await service.api.listPoolHistory({ ...pool.name, page_token: first.nextPageToken });
      expect([...first.entries, ...second.entries]).toEqual(entries);
    });
  });
});
