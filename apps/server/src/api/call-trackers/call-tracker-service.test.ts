import { describe, expect, test } from "vitest";
import { describeBehavior } from "../../testing/behavior.js";
import { requireRefusal, requireRefusedFields } from "../../testing/refusal.js";
import { uniqueToken } from "../../testing/request-fields.js";
import { TIMESTAMP } from "../../testing/timestamp.js";
import { newTrackedPool } from "../../testing/tracked-pool.js";

const NO_ID = "019aa34f-5c1d-7e52-8c3a-0b1d5f6a7c8e";

describeBehavior("call trackers", (service) => {
  const manualPool = () => newTrackedPool(service, { pool_type: "manual", size: 3 });

  /** Creates a manual pool, and returns the pool with its first call tracker. */
  const newTracker = async () => {
    const pool = await manualPool();
    const [tracker] = pool.trackers;
    return { ...pool, tracker, named: { ...pool.name, call_tracker_id: tracker?.id } };
  };

  describe("GetCallTracker and ListCallTrackers", () => {
    test("return every documented field, in the order of creation", async () => {
      const pool = await manualPool();
      const { entries } = await service.api.listCallTrackers(pool.name);
      expect(entries).toHaveLength(3);
      expect(entries.map(({ id }) => id)).toEqual(entries.map(({ id }) => id).toSorted());
      const [first] = entries;
      expect(first).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        original_number: pool.originalNumber,
        original_number_id: pool.pool.original_number_id,
        description: null,
        tracking_number: expect.stringMatching(/^\+1900/),
        pool_id: pool.pool.id,
        status: "available",
        source: null,
        medium: null,
        created_at: expect.stringMatching(TIMESTAMP),
        dropped_at: null,
        updated_at: expect.stringMatching(TIMESTAMP),
      });
      const named = { ...pool.name, call_tracker_id: first?.id.toUpperCase() };
      expect(await service.api.getCallTracker(named)).toEqual(first);
    });

    test("list page by page, and reject the page token of another pool", async () => {
      const pool = await manualPool();
      const first = await service.api.listCallTrackers({ ...pool.name, page_size: 2 });
      expect(first.entries).toHaveLength(2);
      const rest = await service.api.listCallTrackers({ ...pool.name, page_token: first.nextPageToken });
      expect(rest.entries).toHaveLength(1);
      const other = await manualPool();
      const stolen = service.api.listCallTrackers({ ...other.name, page_token: first.nextPageToken });
      expect(await requireRefusal(stolen)).toMatchObject({ reason: "PAGE_TOKEN_INVALID" });
    });

    test("return not found for unknown ids and for those of other accounts or pools", async () => {
      const pool = await newTracker();
      const other = await manualPool();
      const { named } = pool;
      const get = (fields: object) => requireRefusal(service.api.getCallTracker({ ...named, ...fields }));
      expect(await get({ ...other.name })).toMatchObject({ status: "NOT_FOUND", reason: "CALL_TRACKER_NOT_FOUND" });
      for (const unknown of [NO_ID, "x"]) {
        expect(await get({ call_tracker_id: unknown })).toMatchObject({ reason: "CALL_TRACKER_NOT_FOUND" });
        expect(await get({ pool_id: unknown })).toMatchObject({ reason: "POOL_NOT_FOUND" });
        const list = service.api.listCallTrackers({ ...pool.name, pool_id: unknown });
        expect(await requireRefusal(list)).toMatchObject({ reason: "POOL_NOT_FOUND" });
      }
      expect(await get({ account_id: uniqueToken("nobody") })).toMatchObject({ reason: "ACCOUNT_NOT_FOUND" });
    });
  });

  describe("UpdateCallTracker", () => {
    test("activates an available call tracker of a manual pool, and a flagged one on request", async () => {
      const { name, named, tracker: before } = await newTracker();
      const active = await service.api.updateCallTracker({ ...named, description: "leaflet" });
      expect(active).toEqual({ ...before, status: "active", description: "leaflet", updated_at: active.updated_at });
      expect(active.updated_at > (before?.updated_at ?? "")).toBe(true);
      expect(await service.api.flagCallTracker(named)).toMatchObject({ status: "flagged", description: "leaflet" });
      const again = await service.api.updateCallTracker({ ...named, status: "active" });
      expect(again).toMatchObject({ status: "active", dropped_at: null, description: "leaflet" });
      expect(await service.api.getCallTracker(named)).toEqual(again);
      await service.api.updateCallTracker({ ...named, description: "poster" });
      await service.api.updateCallTracker({ ...named, description: "poster" });
      const { entries } = await service.api.listPoolHistory(name);
      expect(entries.slice(3).map(({ kind, reason }) => `${kind}: ${reason}`)).toEqual([
        "activated: made active by a person",
        "flagged: flagged by a person",
        "unflagged: made active by a person",
        "described: described by a person",
      ]);
    });

    test("sets the description of a flagged call tracker without ending its grace period", async () => {
      const { name, named } = await newTracker();
      await service.api.updateCallTracker({ ...named, description: "leaflet" });
      const flagged = await service.api.flagCallTracker(named);
      const described = await service.api.updateCallTracker({ ...named, description: "old leaflet" });
      expect(described).toEqual({ ...flagged, description: "old leaflet", updated_at: described.updated_at });
      const unchanged = await service.api.updateCallTracker(named);
      expect(unchanged).toMatchObject({ status: "flagged", description: "old leaflet" });
      const { entries } = await service.api.listPoolHistory(name);
      expect(entries.slice(3).map(({ kind }) => kind)).toEqual(["activated", "flagged", "described"]);
    });

    test("does not activate a call tracker whose number is being retired, but sets its description", async () => {
      const pool = await manualPool();
      const [first, second] = pool.trackers;
      const [named, other] = [first, second].map((tracker) => ({ ...pool.name, call_tracker_id: tracker?.id }));
      await service.api.updateCallTracker(named);
      await service.api.flagCallTracker(named);
      await service.api.updateAccount({ id: pool.account.id, is_active: false });
      for (const tracker of [first, second]) {
        await service.api.retireTrackingNumber({ phone_number: tracker?.tracking_number });
      }
      await service.server.runDue();
      await service.api.updateAccount({ id: pool.account.id, is_active: true });
      const refusal = {
        status: "FAILED_PRECONDITION",
        reason: "CALL_TRACKER_RETIRING",
        message: `the number of call tracker "${first?.id}" is being retired: activate another call tracker`,
      };
      const activation = service.api.updateCallTracker({ ...named, status: "active" });
      expect(await requireRefusal(activation)).toMatchObject(refusal);
      const described = await service.api.updateCallTracker({ ...named, description: "last days" });
      expect(described).toMatchObject({ status: "flagged", description: "last days" });
      // A pass may have deleted the available call tracker already.
      expect(["CALL_TRACKER_RETIRING", "CALL_TRACKER_NOT_FOUND"]).toContain(
        (await requireRefusal(service.api.updateCallTracker(other))).reason,
      );
    });

    test.each(["flagged", "available", "unspecified"])("rejects the status %s", async (status) => {
      const { named } = await newTracker();
      const update = service.api.updateCallTracker({ ...named, status });
      expect(await requireRefusedFields(update)).toEqual(["status"]);
    });

    test("rejects a description that is too long, and an unknown field", async () => {
      const { named } = await newTracker();
      const update = service.api.updateCallTracker({ ...named, description: "x".repeat(1001) });
      expect(await requireRefusedFields(update)).toEqual(["description"]);
    });
  });

  describe("FlagCallTracker", () => {
    test("flags an active call tracker of a manual pool, which continues to track calls", async () => {
      const { named } = await newTracker();
      await service.api.updateCallTracker(named);
      const flagged = await service.api.flagCallTracker(named);
      expect(flagged.status).toBe("flagged");
      expect(flagged.dropped_at).toEqual(expect.stringMatching(TIMESTAMP));
      expect(await service.api.flagCallTracker(named)).toEqual(flagged);
    });

    test("rejects an available call tracker", async () => {
      const { named, tracker } = await newTracker();
      expect(await requireRefusal(service.api.flagCallTracker(named))).toMatchObject({
        status: "FAILED_PRECONDITION",
        reason: "CALL_TRACKER_NOT_ACTIVE",
        message: `call tracker "${tracker?.id}" is not active: activate it before flagging it`,
      });
    });
  });

  test("rejects changes in an automanaged pool with that reason", async () => {
    const pool = await newTrackedPool(service);
    const named = { ...pool.name, call_tracker_id: pool.trackers[0]?.id };
    for (const call of [service.api.updateCallTracker, service.api.flagCallTracker]) {
      expect(await requireRefusal(call(named))).toMatchObject({
        status: "FAILED_PRECONDITION",
        reason: "POOL_AUTOMANAGED",
        message: `pool "${pool.pool.id}" is automanaged and manages its call trackers itself: use a manual pool to manage them yourself`,
      });
    }
  });

  test("rejects changes in a disabled account, but allows reading", async () => {
    const { account, named } = await newTracker();
    await service.api.updateCallTracker(named);
    await service.api.updateAccount({ id: account.id, is_active: false });
    expect(await requireRefusal(service.api.updateCallTracker(named))).toMatchObject({ reason: "ACCOUNT_DISABLED" });
    expect(await requireRefusal(service.api.flagCallTracker(named))).toMatchObject({ reason: "ACCOUNT_DISABLED" });
    expect(await service.api.getCallTracker(named)).toMatchObject({ status: "active" });
  });

  test("returns not found before checking whether a change is allowed", async () => {
    const pool = await newTrackedPool(service);
    const named = { ...pool.name, call_tracker_id: NO_ID };
    for (const call of [service.api.updateCallTracker, service.api.flagCallTracker]) {
      expect(await requireRefusal(call(named))).toMatchObject({ reason: "CALL_TRACKER_NOT_FOUND" });
    }
  });
});
