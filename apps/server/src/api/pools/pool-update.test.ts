import { describe, expect, test } from "vitest";
import { describeBehavior } from "../../testing/behavior.js";
import { createInvalidFieldRefusal, requireRefusal, requireRefusedFields } from "../../testing/refusal.js";
import { getPoolKeyFields, newAccount, newPool, uniqueToken } from "../../testing/request-fields.js";
import { isLaterTimestamp } from "../../testing/timestamp.js";

describeBehavior("UpdatePool", (service) => {
  test.each([
    { area_code: "99" },
    { size: 77 },
    { utilization: 0.75 },
    { utilization: 0 },
    { utilization: 1 },
    { area_code: "00001", size: 10_000 },
    { area_code: "1", size: 1, utilization: 0.1 },
  ])("changes %o, advances updated_at and keeps the other fields", async (change) => {
    const { account, pool } = await newPool(service.api);
    const updated = await service.api.updatePool({ ...getPoolKeyFields(account, pool), ...change });
    expect(updated).toEqual({ ...pool, ...change, updated_at: updated.updated_at });
    expect(updated.updated_at).toSatisfy((time: string) => isLaterTimestamp(time, pool.updated_at));
    expect(await service.api.getPool(getPoolKeyFields(account, pool))).toEqual(updated);
  });

  test("changes nothing, not even updated_at, for an empty update", async () => {
    const { account, pool } = await newPool(service.api);
    expect(await service.api.updatePool(getPoolKeyFields(account, pool))).toEqual(pool);
    expect(await service.api.getPool(getPoolKeyFields(account, pool))).toEqual(pool);
  });

  test.each([{ area_code: "0123" }, { size: 5 }, { utilization: 0.5 }])(
    "advances updated_at even if the pool already has %o",
    async (change) => {
      const { account, pool } = await newPool(service.api);
      const updated = await service.api.updatePool({ ...getPoolKeyFields(account, pool), ...change });
      expect(updated).toEqual({ ...pool, updated_at: updated.updated_at });
      expect(updated.updated_at).toSatisfy((time: string) => isLaterTimestamp(time, pool.updated_at));
    },
  );

  test("advances updated_at with each of many updates in a row", async () => {
    const { account, pool } = await newPool(service.api);
    const times = [pool.updated_at];
    for (let size = 1; size <= 20; size++) {
      times.push((await service.api.updatePool({ ...getPoolKeyFields(account, pool), size })).updated_at);
    }
    expect(times.slice(1).every((time, index) => isLaterTimestamp(time, times[index] ?? ""))).toBe(true);
  });

  test("accepts the account's id and a pool id in upper case", async () => {
    const { account, pool } = await newPool(service.api);
    const names = { account_id: String(account.id), pool_id: pool.id.toUpperCase() };
    expect(await service.api.updatePool({ ...names, size: 9 })).toMatchObject({ id: pool.id, size: 9 });
  });

  test("works on a disabled account", async () => {
    const { account, pool } = await newPool(service.api);
    await service.api.updateAccount({ id: account.id, is_active: false });
    expect(await service.api.updatePool({ ...getPoolKeyFields(account, pool), size: 9 })).toMatchObject({ size: 9 });
  });

  describe("of a manual pool", () => {
    test.each([0.5, 7, -1, 1e308])("ignores a utilization of %d, but advances updated_at", async (utilization) => {
      const { account, pool } = await newPool(service.api, { pool_type: "manual" });
      const updated = await service.api.updatePool({ ...getPoolKeyFields(account, pool), utilization });
      expect(updated).toEqual({ ...pool, utilization: null, updated_at: updated.updated_at });
      expect(updated.updated_at).toSatisfy((time: string) => isLaterTimestamp(time, pool.updated_at));
    });

    test("ignores a utilization in an update of other fields", async () => {
      const { account, pool } = await newPool(service.api, { pool_type: "manual" });
      const updated = await service.api.updatePool({ ...getPoolKeyFields(account, pool), size: 9, utilization: 7 });
      expect(updated).toMatchObject({ size: 9, utilization: null });
    });

    test("ignores a utilization, and reports only violations of other fields", async () => {
      const { account, pool } = await newPool(service.api, { pool_type: "manual" });
      const change = { ...getPoolKeyFields(account, pool), area_code: "x", size: 0, utilization: 7 };
      expect(await requireRefusedFields(service.api.updatePool(change))).toEqual(["area_code", "size"]);
    });
  });

  describe("of an automanaged pool", () => {
    test.each([7, -0.1, 1.0000000000000002])("rejects a utilization of %d and changes nothing", async (utilization) => {
      const { account, pool } = await newPool(service.api);
      const refusal = await requireRefusal(
        service.api.updatePool({ ...getPoolKeyFields(account, pool), size: 9, utilization }),
      );
      expect(refusal).toMatchObject(createInvalidFieldRefusal("utilization", "must be between 0 and 1"));
      expect(await service.api.getPool(getPoolKeyFields(account, pool))).toEqual(pool);
    });

    test("reports a utilization out of range together with all other violations", async () => {
      const { account, pool } = await newPool(service.api);
      const change = { ...getPoolKeyFields(account, pool), area_code: "x", size: 0, utilization: 7 };
      expect(await requireRefusedFields(service.api.updatePool(change))).toEqual(["area_code", "size", "utilization"]);
    });
  });

  test.each([
    ["area_code", "123456", "must be 1 to 5 digits"],
    ["area_code", "", "must be 1 to 5 digits"],
    ["size", 0, "must be between 1 and 10000"],
    ["size", 10_001, "must be between 1 and 10000"],
  ])("rejects the %s %j and changes nothing", async (field, value, description) => {
    const { account, pool } = await newPool(service.api);
    const refusal = await requireRefusal(
      service.api.updatePool({ ...getPoolKeyFields(account, pool), utilization: 0.9, [field]: value }),
    );
    expect(refusal).toMatchObject(createInvalidFieldRefusal(field, description));
    expect(await service.api.getPool(getPoolKeyFields(account, pool))).toEqual(pool);
  });

  test.each([{}, { size: 9 }, { utilization: 0.5 }, { utilization: 7 }])(
    "returns not found for an unknown or invalid pool id or another account's pool, with the update %o",
    async (change) => {
      const { pool } = await newPool(service.api);
      const { account_token: account_id } = await newAccount(service.api);
      const missing = crypto.randomUUID();
      const refusalFor = (pool_id: string) =>
        requireRefusal(service.api.updatePool({ account_id, pool_id, ...change }));
      const refusal = await refusalFor(missing);
      expect(refusal).toMatchObject({ status: "NOT_FOUND", reason: "POOL_NOT_FOUND" });
      for (const pool_id of [pool.id, "no-uuid"]) {
        expect(JSON.stringify(await refusalFor(pool_id))).toBe(JSON.stringify(refusal).replaceAll(missing, pool_id));
      }
    },
  );

  test.each([{}, { size: 9 }, { utilization: 7 }])(
    "returns not found for an unknown account, with the update %o",
    async (change) => {
      const { pool } = await newPool(service.api);
      const names = { account_id: uniqueToken("nobody"), pool_id: pool.id };
      const refusal = await requireRefusal(service.api.updatePool({ ...names, ...change }));
      expect(refusal).toMatchObject({ status: "NOT_FOUND", reason: "ACCOUNT_NOT_FOUND" });
    },
  );

  test("validates the fields before looking up the account or the pool", async () => {
    const { account_token } = await newAccount(service.api);
    for (const account_id of [account_token, uniqueToken("nobody")]) {
      const refusal = await requireRefusal(
        service.api.updatePool({ account_id, pool_id: crypto.randomUUID(), size: 0 }),
      );
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", violations: [{ field: "size" }] });
    }
  });

  test.each([{}, { size: 9 }, { utilization: 7 }])(
    "rejects an account with a NUL in its name, with the update %o",
    async (change) => {
      const refusal = await requireRefusal(
        service.api.updatePool({ account_id: "a\0b", pool_id: crypto.randomUUID(), ...change }),
      );
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", violations: [{ field: "account_id" }] });
    },
  );
});
