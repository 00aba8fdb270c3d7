import { describe, expect, test } from "vitest";
import { describeBehaviour } from "../../testing/behaviour.js";
import { refusalOf, refusedFieldsOf } from "../../testing/refusal.js";
import { nameOf, newAccount, newPool, uniqueToken } from "../../testing/request-fields.js";
import { isLater } from "../../testing/timestamp.js";

describeBehaviour("UpdatePool", (service) => {
  test.each([
    { area_code: "99" },
    { size: 77 },
    { utilization: 0.75 },
    { utilization: 0 },
    { utilization: 1 },
    { area_code: "00001", size: 10_000 },
    { area_code: "1", size: 1, utilization: 0.1 },
  ])("changes %o, moves updated_at and keeps the rest", async (change) => {
    const { account, pool } = await newPool(service.api);
    const updated = await service.api.updatePool({ ...nameOf(account, pool), ...change });
    expect(updated).toEqual({ ...pool, ...change, updated_at: updated.updated_at });
    expect(updated.updated_at).toSatisfy((time: string) => isLater(time, pool.updated_at));
    expect(await service.api.getPool(nameOf(account, pool))).toEqual(updated);
  });

  test("changes nothing, updated_at neither, if nothing is sent", async () => {
    const { account, pool } = await newPool(service.api);
    expect(await service.api.updatePool(nameOf(account, pool))).toEqual(pool);
    expect(await service.api.getPool(nameOf(account, pool))).toEqual(pool);
  });

  test.each([{ area_code: "0123" }, { size: 5 }, { utilization: 0.5 }])(
    "moves updated_at though %o is what the pool has already",
    async (change) => {
      const { account, pool } = await newPool(service.api);
      const updated = await service.api.updatePool({ ...nameOf(account, pool), ...change });
      expect(updated).toEqual({ ...pool, updated_at: updated.updated_at });
      expect(updated.updated_at).toSatisfy((time: string) => isLater(time, pool.updated_at));
    },
  );

  test("moves updated_at with each of many updates in a row", async () => {
    const { account, pool } = await newPool(service.api);
    const times = [pool.updated_at];
    for (let size = 1; size <= 20; size++) {
      times.push((await service.api.updatePool({ ...nameOf(account, pool), size })).updated_at);
    }
    expect(times.slice(1).every((time, index) => isLater(time, times[index] ?? ""))).toBe(true);
  });

  test("takes the account by its id and the pool id in upper case", async () => {
    const { account, pool } = await newPool(service.api);
    const names = { account_id: String(account.id), pool_id: pool.id.toUpperCase() };
    expect(await service.api.updatePool({ ...names, size: 9 })).toMatchObject({ id: pool.id, size: 9 });
  });

  test("works on a disabled account", async () => {
    const { account, pool } = await newPool(service.api);
    await service.api.updateAccount({ id: account.id, is_active: false });
    expect(await service.api.updatePool({ ...nameOf(account, pool), size: 9 })).toMatchObject({ size: 9 });
  });

  describe("of a manual pool", () => {
    test.each([0.5, 7, -1, 1e308])(
      "ignores a utilization of %d, and moves updated_at as it was sent",
      async (utilization) => {
        const { account, pool } = await newPool(service.api, { pool_type: "manual" });
        const updated = await service.api.updatePool({ ...nameOf(account, pool), utilization });
        expect(updated).toEqual({ ...pool, utilization: null, updated_at: updated.updated_at });
        expect(updated.updated_at).toSatisfy((time: string) => isLater(time, pool.updated_at));
      },
    );

    test("ignores a utilization beside a change of the other fields", async () => {
      const { account, pool } = await newPool(service.api, { pool_type: "manual" });
      const updated = await service.api.updatePool({ ...nameOf(account, pool), size: 9, utilization: 7 });
      expect(updated).toMatchObject({ size: 9, utilization: null });
    });

    test("ignores a utilization beside violations of the other fields, which alone are named", async () => {
      const { account, pool } = await newPool(service.api, { pool_type: "manual" });
      const change = { ...nameOf(account, pool), area_code: "x", size: 0, utilization: 7 };
      expect(await refusedFieldsOf(service.api.updatePool(change))).toEqual(["area_code", "size"]);
    });
  });

  describe("of an automanaged pool", () => {
    test.each([7, -0.1, 1.0000000000000002])("refuses a utilization of %d and changes nothing", async (utilization) => {
      const { account, pool } = await newPool(service.api);
      const refusal = await refusalOf(service.api.updatePool({ ...nameOf(account, pool), size: 9, utilization }));
      expect(refusal).toMatchObject({
        status: "INVALID_ARGUMENT",
        message: "utilization must be between 0 and 1",
        reason: "FIELD_INVALID",
        violations: [{ field: "utilization", description: "must be between 0 and 1" }],
      });
      expect(await service.api.getPool(nameOf(account, pool))).toEqual(pool);
    });

    test("names a utilization out of range beside every other violation", async () => {
      const { account, pool } = await newPool(service.api);
      const change = { ...nameOf(account, pool), area_code: "x", size: 0, utilization: 7 };
      expect(await refusedFieldsOf(service.api.updatePool(change))).toEqual(["area_code", "size", "utilization"]);
    });
  });

  test.each([
    ["area_code", "123456", "must be 1 to 5 digits"],
    ["area_code", "", "must be 1 to 5 digits"],
    ["size", 0, "must be between 1 and 10000"],
    ["size", 10_001, "must be between 1 and 10000"],
  ])("refuses the %s %j and changes nothing", async (field, value, description) => {
    const { account, pool } = await newPool(service.api);
    const refusal = await refusalOf(
      service.api.updatePool({ ...nameOf(account, pool), utilization: 0.9, [field]: value }),
    );
    expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", violations: [{ field, description }] });
    expect(await service.api.getPool(nameOf(account, pool))).toEqual(pool);
  });

  test.each([{}, { size: 9 }, { utilization: 0.5 }, { utilization: 7 }])(
    "does not find a pool that is missing, malformed or another account's, whatever is sent: %o",
    async (change) => {
      const { pool } = await newPool(service.api);
      const { account_token: account_id } = await newAccount(service.api);
      const missing = crypto.randomUUID();
      const refusalFor = (pool_id: string) => refusalOf(service.api.updatePool({ account_id, pool_id, ...change }));
      const refusal = await refusalFor(missing);
      expect(refusal).toMatchObject({ status: "NOT_FOUND", reason: "POOL_NOT_FOUND" });
      for (const pool_id of [pool.id, "no-uuid"]) {
        expect(JSON.stringify(await refusalFor(pool_id))).toBe(JSON.stringify(refusal).replaceAll(missing, pool_id));
      }
    },
  );

  test.each([{}, { size: 9 }, { utilization: 7 }])(
    "does not find an account that nobody has, whatever is sent: %o",
    async (change) => {
      const { pool } = await newPool(service.api);
      const names = { account_id: uniqueToken("nobody"), pool_id: pool.id };
      const refusal = await refusalOf(service.api.updatePool({ ...names, ...change }));
      expect(refusal).toMatchObject({ status: "NOT_FOUND", reason: "ACCOUNT_NOT_FOUND" });
    },
  );

  test("looks at the shape before it looks for the account or the pool", async () => {
    const { account_token } = await newAccount(service.api);
    for (const account_id of [account_token, uniqueToken("nobody")]) {
      const refusal = await refusalOf(service.api.updatePool({ account_id, pool_id: crypto.randomUUID(), size: 0 }));
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", violations: [{ field: "size" }] });
    }
  });

  test.each([{}, { size: 9 }, { utilization: 7 }])(
    "refuses an account with a NUL in its name, whatever is sent: %o",
    async (change) => {
      const refusal = await refusalOf(
        service.api.updatePool({ account_id: "a\0b", pool_id: crypto.randomUUID(), ...change }),
      );
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", violations: [{ field: "account_id" }] });
    },
  );
});
