import { describe, expect, test } from "vitest";
import type { AccountJson, PoolJson, RequestFields } from "../../testing/api-client.js";
import { describeBehavior } from "../../testing/behavior.js";
import { createInvalidFieldRefusal, requireRefusal, requireRefusedFields } from "../../testing/refusal.js";
import {
  createAutomanagedPoolFields,
  createManualPoolFields,
  getPoolKeyFields,
  newAccount,
  newAccountWithNumber,
  newPool,
  uniqueNumber,
  uniqueToken,
} from "../../testing/request-fields.js";
import { TIMESTAMP } from "../../testing/timestamp.js";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Fields of a manual pool that are accepted and returned unchanged. */
const acceptedFields: readonly RequestFields[] = [
  { area_code: "0" },
  { area_code: "123" },
  { area_code: "00000" },
  { size: 1 },
  { size: 10_000 },
  { is_dni: true, is_prompted: true, is_recorded: true },
  { is_dni: false, is_prompted: false, is_recorded: false },
  { is_dni: false, is_prompted: true, is_recorded: false },
  { description: "" },
  { description: " spaced\tand\nbroken " },
  { description: "😀".repeat(1000) },
  { property_token: "shop/1" },
  { property_token: "é".repeat(255) },
];

/** Fields that are rejected for pools of both types, with the description of the violation. */
const refusedFields: readonly (readonly [field: string, value: unknown, problem: string])[] = [
  ["area_code", "", "must be 1 to 5 digits"],
  ["area_code", "123456", "must be 1 to 5 digits"],
  ["size", 0, "must be between 1 and 10000"],
  ["size", 10_001, "must be between 1 and 10000"],
  ["size", 2_147_483_647, "must be between 1 and 10000"],
  ["original_number", "12223334444", "must be a phone number in E.164 format, such as +12223334444"],
  ["description", "x".repeat(1001), "must have at most 1000 characters"],
  ["property_token", "a b", "must not contain whitespace, control, format or unassigned characters"],
  ["property_token", "x".repeat(256), "must have at most 255 characters"],
];

const REQUIRED = ["area_code", "is_dni", "is_prompted", "is_recorded", "original_number", "pool_type", "size"] as const;

describeBehavior("pools", (service) => {
  describe("CreatePool", () => {
    test("creates a manual pool without property and utilization", async () => {
      const { account, numberId, pool } = await newPool(service.api, { pool_type: "manual" });
      expect(pool).toEqual({
        id: expect.stringMatching(UUID_V7),
        original_number_id: numberId,
        account_token: account.account_token,
        area_code: "0123",
        description: null,
        is_dni: true,
        is_prompted: false,
        is_recorded: true,
        pool_type: "manual",
        property_token: null,
        size: 5,
        utilization: null,
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: pool.created_at,
      });
    });

    test.each(["automated", "automanaged"])("creates an automanaged pool with the type %s", async (pool_type) => {
      const { account, numberId, pool } = await newPool(service.api, { pool_type, description: "front page" });
      expect(pool).toEqual({
        id: expect.stringMatching(UUID_V7),
        original_number_id: numberId,
        account_token: account.account_token,
        area_code: "0123",
        description: "front page",
        is_dni: true,
        is_prompted: false,
        is_recorded: true,
        pool_type: "automanaged",
        property_token: "shop",
        size: 5,
        utilization: 0.5,
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: pool.created_at,
      });
    });

    test("accepts the account's id", async () => {
      const { account, number } = await newAccountWithNumber(service.api);
      const pool = await service.api.createPool({
        ...createManualPoolFields(account, number),
        account_id: String(account.id),
      });
      expect(pool.account_token).toBe(account.account_token);
    });

    test("creates the valid pools among concurrent requests, and rejects the others", async () => {
      const { api } = service;
      const registered = await Promise.all(Array.from({ length: 8 }, () => newAccountWithNumber(api)));
      const disabled = await newAccountWithNumber(api);
      await api.updateAccount({ id: disabled.account.id, is_active: false });
      const calls = registered.flatMap(({ account, number }, index) => [
        api.createPool(
          createAutomanagedPoolFields(account, number, { description: `“${index}\\\n`, utilization: 0.1 + index / 10 }),
        ),
        requireRefusal(api.createPool(createManualPoolFields(disabled.account, disabled.number))),
        api.createPool(createManualPoolFields(account, number, { size: index + 1 })),
        requireRefusal(api.createPool(createManualPoolFields(account, uniqueNumber()))),
      ]);
      const outcomes = await Promise.all(calls);
      registered.forEach(({ account, numberId }, index) => {
        const own = { account_token: account.account_token, original_number_id: numberId };
        expect(outcomes.slice(4 * index, 4 * index + 4)).toMatchObject([
          { ...own, pool_type: "automanaged", description: `“${index}\\\n`, utilization: 0.1 + index / 10 },
          { reason: "ACCOUNT_DISABLED" },
          { ...own, pool_type: "manual", size: index + 1, utilization: null },
          { reason: "PHONE_NUMBER_NOT_REGISTERED" },
        ]);
      });
    });

    test("attaches several pools to one number", async () => {
      const { account, number, numberId, pool: first } = await newPool(service.api);
      const second = await service.api.createPool(createManualPoolFields(account, number));
      expect([first.original_number_id, second.original_number_id]).toEqual([numberId, numberId]);
      expect(first.id).not.toBe(second.id);
    });

    test.each(acceptedFields)("accepts %o and returns it unchanged", async (fields) => {
      const { account, pool } = await newPool(service.api, { pool_type: "manual", ...fields });
      expect(pool).toMatchObject(fields);
      expect(await service.api.getPool(getPoolKeyFields(account, pool))).toEqual(pool);
    });

    test.each([0, 1, 0.5, 0.30000000000000004, 5e-324, 0.9999999999999999])(
      "accepts a utilization of %d and returns every digit of it",
      async (utilization) => {
        const { pool } = await newPool(service.api, { utilization });
        expect(pool.utilization).toBe(utilization);
      },
    );

    test.each([-0.000001, 1.0000000000000002, 50, -1, 1e308])(
      "rejects a utilization of %d for an automanaged pool",
      async (utilization) => {
        const refusal = await requireRefusal(newPool(service.api, { utilization }));
        expect(refusal).toMatchObject(createInvalidFieldRefusal("utilization", "must be between 0 and 1"));
      },
    );

    test.each([0.5, 7, -1, 1e308])("ignores a utilization of %d for a manual pool", async (utilization) => {
      const { account, pool } = await newPool(service.api, { pool_type: "manual", utilization });
      expect(pool.utilization).toBeNull();
      expect((await service.api.getPool(getPoolKeyFields(account, pool))).utilization).toBeNull();
    });

    test.each(refusedFields)("rejects the %s %j", async (field, value, description) => {
      for (const pool_type of ["manual", "automanaged"]) {
        const refusal = await requireRefusal(newPool(service.api, { pool_type, [field]: value }));
        expect(refusal).toMatchObject(createInvalidFieldRefusal(field, description));
      }
    });

    test.each(REQUIRED)("requires %s", async (field) => {
      const { account, number } = await newAccountWithNumber(service.api);
      const { [field]: _, ...fields } = createManualPoolFields(account, number);
      const refusal = await requireRefusal(service.api.createPool(fields));
      expect(refusal).toMatchObject(createInvalidFieldRefusal(field, "is required"));
    });

    test.each(["property_token", "utilization"])("requires %s of an automanaged pool only", async (field) => {
      const { account, number } = await newAccountWithNumber(service.api);
      const { [field]: _, ...fields } = createAutomanagedPoolFields(account, number);
      const refusal = await requireRefusal(service.api.createPool(fields));
      expect(refusal).toMatchObject(createInvalidFieldRefusal(field, "is required for an automanaged pool"));
      const manual = await service.api.createPool({ ...fields, pool_type: "manual" });
      expect(manual).toMatchObject({ pool_type: "manual", utilization: null });
    });

    test("treats an empty property as absent, for both types", async () => {
      const { pool } = await newPool(service.api, { pool_type: "manual", property_token: "" });
      expect(pool.property_token).toBeNull();
      expect(await requireRefusedFields(newPool(service.api, { property_token: "" }))).toEqual(["property_token"]);
    });

    test("rejects the unspecified pool type", async () => {
      const refusal = await requireRefusal(newPool(service.api, { pool_type: "unspecified" }));
      expect(refusal).toMatchObject(createInvalidFieldRefusal("pool_type", "must be manual or automanaged"));
    });

    test("reports all violations at once", async () => {
      const { account_token: account_id } = await newAccount(service.api);
      expect(await requireRefusedFields(service.api.createPool({ account_id }))).toEqual(REQUIRED);
      const wrong = { ...createManualPoolFields({ account_token: account_id } as never, "1"), area_code: "x", size: 0 };
      expect(
        await requireRefusedFields(service.api.createPool({ ...wrong, pool_type: "automated", utilization: 2 })),
      ).toEqual(["area_code", "original_number", "property_token", "size", "utilization"]);
    });

    test("checks the fields, the account, its state and the number, in this order", async () => {
      const refuse = async (owner: AccountJson, fields: RequestFields = {}) => {
        const refusal = await requireRefusal(
          service.api.createPool(createManualPoolFields(owner, uniqueNumber(), fields)),
        );
        return [refusal.status, refusal.reason];
      };
      const account = await newAccount(service.api);
      const nobody = { ...account, account_token: uniqueToken("nobody") };
      expect(await refuse(nobody, { size: 0 })).toEqual(["INVALID_ARGUMENT", "FIELD_INVALID"]);
      expect(await refuse(nobody)).toEqual(["NOT_FOUND", "ACCOUNT_NOT_FOUND"]);
      await service.api.updateAccount({ id: account.id, is_active: false });
      expect(await refuse(account, { size: 0 })).toEqual(["INVALID_ARGUMENT", "FIELD_INVALID"]);
      expect(await refuse(account)).toEqual(["FAILED_PRECONDITION", "ACCOUNT_DISABLED"]);
      await service.api.updateAccount({ id: account.id, is_active: true });
      expect(await refuse(account)).toEqual(["FAILED_PRECONDITION", "PHONE_NUMBER_NOT_REGISTERED"]);
    });

    test("rejects a disabled account without creating a pool, and accepts it once enabled", async () => {
      const { account, number } = await newAccountWithNumber(service.api);
      await service.api.updateAccount({ id: account.id, is_active: false });
      expect(await requireRefusal(service.api.createPool(createManualPoolFields(account, number)))).toMatchObject({
        status: "FAILED_PRECONDITION",
        message: `call tracking is disabled for account "${account.account_token}": enable it by setting is_active to true`,
        reason: "ACCOUNT_DISABLED",
      });
      expect((await service.api.listPools({ account_id: account.account_token })).entries).toEqual([]);
      await service.api.updateAccount({ id: account.id, is_active: true });
      expect(await service.api.createPool(createManualPoolFields(account, number))).toMatchObject({
        pool_type: "manual",
      });
    });

    test("rejects a number that only another account has registered", async () => {
      const { number } = await newAccountWithNumber(service.api);
      const account = await newAccount(service.api);
      expect(await requireRefusal(service.api.createPool(createManualPoolFields(account, number)))).toMatchObject({
        status: "FAILED_PRECONDITION",
        message: `original_number "${number}" is not registered under this account: register it as a phone number first`,
        reason: "PHONE_NUMBER_NOT_REGISTERED",
      });
      expect((await service.api.listPhoneNumbers({ account_id: account.account_token })).entries).toEqual([]);
    });
  });

  describe("GetPool", () => {
    test("returns what CreatePool returned, by the account's token or id and a pool id in any case", async () => {
      const { account, pool } = await newPool(service.api);
      for (const account_id of [account.account_token, String(account.id)]) {
        for (const pool_id of [pool.id, pool.id.toUpperCase()]) {
          expect(await service.api.getPool({ account_id, pool_id })).toEqual(pool);
        }
      }
    });

    test.each(["no-uuid", "1", "{01890000-0000-7000-8000-000000000000}", "01890000000070008000000000000000", "null"])(
      "returns not found for the invalid id %s",
      async (pool_id) => {
        const { account_token } = await newAccount(service.api);
        expect(await requireRefusal(service.api.getPool({ account_id: account_token, pool_id }))).toMatchObject({
          status: "NOT_FOUND",
          message: `pool "${pool_id}" not found under this account: check the id and the account`,
          reason: "POOL_NOT_FOUND",
        });
      },
    );

    test("returns the same error for another account's pool as for an unknown one", async () => {
      const { pool } = await newPool(service.api);
      const { account_token } = await newAccount(service.api);
      const missing = crypto.randomUUID();
      const refusalFor = async (pool_id: string) =>
        JSON.stringify(await requireRefusal(service.api.getPool({ account_id: account_token, pool_id })));
      expect(await refusalFor(pool.id)).toBe((await refusalFor(missing)).replaceAll(missing, pool.id));
    });

    test("looks up the account before the pool", async () => {
      const { pool } = await newPool(service.api);
      const refusal = await requireRefusal(
        service.api.getPool({ account_id: uniqueToken("nobody"), pool_id: pool.id }),
      );
      expect(refusal).toMatchObject({ status: "NOT_FOUND", reason: "ACCOUNT_NOT_FOUND" });
    });

    test("works on a disabled account", async () => {
      const { account, pool } = await newPool(service.api);
      await service.api.updateAccount({ id: account.id, is_active: false });
      expect(await service.api.getPool(getPoolKeyFields(account, pool))).toEqual(pool);
    });
  });

  describe("ListPools", () => {
    test("returns only the account's pools, of all types and numbers, in the order of their creation", async () => {
      const { account, number, pool } = await newPool(service.api);
      const created: PoolJson[] = [pool];
      for (let count = 0; count < 5; count++) {
        created.push(
          await service.api.createPool(createManualPoolFields(account, number, { description: `pool ${count}` })),
        );
      }
      const other = uniqueNumber();
      await service.api.createPhoneNumber({ account_id: account.account_token, phone_number: other });
      created.push(await service.api.createPool(createManualPoolFields(account, other)));
      await newPool(service.api);
      for (const account_id of [account.account_token, String(account.id)]) {
        expect(await service.api.listPools({ account_id })).toEqual({ entries: created, nextPageToken: "" });
      }
    });

    test("returns an empty list for an account without pools", async () => {
      const { account_token } = await newAccount(service.api);
      expect(await service.api.listPools({ account_id: account_token })).toEqual({ entries: [], nextPageToken: "" });
    });

    test("works on a disabled account", async () => {
      const { account, pool } = await newPool(service.api);
      await service.api.updateAccount({ id: account.id, is_active: false });
      expect((await service.api.listPools({ account_id: account.account_token })).entries).toEqual([pool]);
    });
  });
});
