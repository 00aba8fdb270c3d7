import { describe, expect, test } from "vitest";
import type { PoolJson, RequestFields } from "../testing/api-client.js";
import { describeJsonPaths } from "../testing/describe-json-paths.js";
import type { HttpRequest } from "../testing/http-request.js";
import { createInvalidFieldRefusal } from "../testing/refusal.js";
import {
  createAutomanagedPoolFields,
  createManualPoolFields,
  newAccount,
  newAccountWithNumber,
  newPool,
  uniqueNumber,
  uniqueToken,
} from "../testing/request-fields.js";

const ACCOUNTS = "/call_tracking/accounts";
const JSON_TYPE = { "content-type": "application/json" };

/** Converts a name from snake_case to lowerCamelCase. */
function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** JSON values of wrong types for fields of a new pool. ProtoJSON would accept some of these values. */
const wrongTypes: readonly (readonly [field: string, values: readonly string[]])[] = [
  ["size", ['"10"', "1.5", "2147483648"]],
  ["utilization", ['"0.5"', '"NaN"', "1e999"]],
  ["description", ["5"]],
  ["is_dni", ['"true"', "1"]],
  ["pool_type", ["2", '"2"', '"robot"']],
];

describeJsonPaths("JSON requests", (surface) => {
  /** Builds the POST request that creates a pool for a new account and phone number. */
  async function poolRequest(template: typeof createManualPoolFields = createManualPoolFields) {
    const { account, number } = await newAccountWithNumber(surface.api);
    const { account_id: _, ...body } = template(account, number);
    return { account, method: "POST", target: `/dni_manager/accounts/${account.account_token}/pools`, body };
  }

  /** Creates a pool, and builds a PUT request for the pool, without a body. */
  async function updateRequest(fields: RequestFields = {}) {
    const { account, pool } = await newPool(surface.api, fields);
    const target = `/dni_manager/accounts/${account.account_token}/pools/${pool.id}`;
    return { account, pool, method: "PUT", target };
  }

  /** Sends a request that must be rejected, and returns the names of its invalid fields, sorted. */
  async function refusedFields(request: HttpRequest) {
    const { violations } = await surface.refuse(400, request);
    return violations.map(({ field }) => field).toSorted();
  }

  describe("names of fields", () => {
    test("may be in lowerCamelCase, even mixed with snake_case", async () => {
      const { method, target, body } = await poolRequest(createAutomanagedPoolFields);
      const entries = Object.entries(body);
      for (const name of [camelCase, (key: string) => (key < "m" ? camelCase(key) : key)]) {
        const named = Object.fromEntries(entries.map(([key, value]) => [name(key), value]));
        const { original_number: _, ...returned } = body;
        expect(await surface.read(201, { method, target, body: named })).toMatchObject(returned);
      }
    });

    test("are in snake_case in errors", async () => {
      const { method, target } = await updateRequest();
      const refusal = await surface.refuse(400, { method, target, body: { areaCode: "x" } });
      expect(refusal.violations).toEqual([{ field: "area_code", description: "must be 1 to 5 digits" }]);
    });

    test("are rejected in both spellings", async () => {
      const { method, target } = await updateRequest();
      const body = '{"area_code":"1","areaCode":"1"}';
      const refusal = await surface.refuse(400, { method, target, body, headers: JSON_TYPE });
      expect(refusal).toMatchObject({ reason: "FIELD_INVALID", violations: [{ field: "area_code" }] });
    });

    test.each(["Size", "created_at", "__proto__"])("are rejected and reported if unknown: %j", async (name) => {
      const { method, target, body } = await poolRequest();
      const text = JSON.stringify(body).replace(/\}$/, `,${JSON.stringify(name)}:1}`);
      const refusal = await surface.refuse(400, { method, target, headers: JSON_TYPE, body: text });
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "FIELD_INVALID" });
      expect(refusal.violations).toMatchObject([{ field: name }]);
    });

    test("a misspelled utilisation is rejected even if null, and the pool stays unchanged", async () => {
      const { method, target, pool } = await updateRequest();
      for (const value of [0.9, null]) {
        expect(await refusedFields({ method, target, body: { utilisation: value, size: 7 } })).toEqual(["utilisation"]);
      }
      expect(await surface.read(200, { target })).toEqual(pool);
    });

    test.each([
      ["POST", ACCOUNTS, { account_token: "x", is_active: true }, "is_active"],
      ["PUT", `${ACCOUNTS}/1`, { is_active: true, account_token: "x" }, "account_token"],
      ["POST", "/dni_manager/accounts/nobody/phone_numbers", { phone_number: "+12223334444", number: "1" }, "number"],
    ])("%s %s rejects an unknown field", async (method, target, body, field) => {
      expect(await refusedFields({ method, target, body })).toEqual([field]);
    });

    test("an update rejects fields that cannot be changed, and lists those that can", async () => {
      const { method, target } = await updateRequest();
      const fixed = [
        "original_number",
        "description",
        "is_dni",
        "is_prompted",
        "is_recorded",
        "is_active",
        "pool_type",
      ];
      const fields = [...fixed, "property_token", "id"];
      const refusal = await surface.refuse(400, {
        ...{ method, target },
        body: { size: 7, ...Object.fromEntries(fields.map((field) => [field, "x"])) },
      });
      const description = expect.stringContaining('area_code, size, utilization, as in {"size": 3}');
      expect(refusal.violations).toEqual(fields.map((field) => ({ field, description })));
    });
  });

  describe("types", () => {
    test.each(wrongTypes)("%s rejects each of %j", async (field, values) => {
      const { method, target, body } = await poolRequest(createAutomanagedPoolFields);
      for (const value of values) {
        const text = JSON.stringify({ ...body, [field]: "HERE" }).replace('"HERE"', value);
        const refusal = await surface.refuse(400, { method, target, headers: JSON_TYPE, body: text });
        expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "FIELD_INVALID", violations: [{ field }] });
      }
    });

    test.each([
      ["POST", ACCOUNTS, "account_token", 5],
      ["PUT", `${ACCOUNTS}/1`, "is_active", "true"],
      ["POST", "/dni_manager/accounts/nobody/phone_numbers", "phone_number", 12_223_334_444],
    ])("%s %s rejects a wrong type of %s: %j", async (method, target, field, value) => {
      expect(await refusedFields({ method, target, body: { [field]: value } })).toEqual([field]);
    });

    test("a utilization that is not a number is rejected even for a manual pool", async () => {
      const create = await poolRequest();
      const body = { ...create.body, utilization: "0.5" };
      expect(await refusedFields({ ...create, body })).toEqual(["utilization"]);
      const update = await updateRequest({ pool_type: "manual" });
      expect(await refusedFields({ ...update, body: { utilization: "0.5" } })).toEqual(["utilization"]);
    });

    test.each([
      ["manual", "manual"],
      ["automated", "automanaged"],
      ["POOL_TYPE_AUTOMATED", "automanaged"],
    ])("accepts the pool type %s, and returns it as %s", async (pool_type, returned) => {
      const { method, target, body } = await poolRequest(createAutomanagedPoolFields);
      const pool = await surface.read(201, { method, target, body: { ...body, pool_type } });
      expect(pool).toMatchObject({ pool_type: returned });
    });
  });

  describe("null", () => {
    test("means absent where a pool is created", async () => {
      const { method, target, body } = await poolRequest();
      const nulls = { description: null, property_token: null, utilization: null };
      expect(await surface.read(201, { method, target, body: { ...body, ...nulls } })).toMatchObject(nulls);
    });

    test("counts as a missing value of a required field", async () => {
      const { method, target, body } = await poolRequest();
      const fields = ["original_number", "area_code", "is_dni", "pool_type", "size"];
      const nulls = Object.fromEntries(fields.map((field) => [field, null]));
      const { violations } = await surface.refuse(400, { method, target, body: { ...body, ...nulls } });
      const byField = violations.toSorted((one, other) => fields.indexOf(one.field) - fields.indexOf(other.field));
      expect(byField).toEqual(fields.map((field) => ({ field, description: "is required" })));
    });

    test("means absent where an account is created or updated", async () => {
      const ofToken = await surface.refuse(400, { method: "POST", target: ACCOUNTS, body: { account_token: null } });
      expect(ofToken.message).toBe("account_token is required");
      const ofActive = await surface.refuse(400, { method: "PUT", target: `${ACCOUNTS}/1`, body: { is_active: null } });
      expect(ofActive.message).toBe("is_active is required");
    });

    test("means absent where a phone number is registered", async () => {
      const { account_token } = await newAccount(surface.api);
      const body = { phone_number: uniqueNumber(), description: null, property_token: null };
      const target = `/dni_manager/accounts/${account_token}/phone_numbers`;
      expect(await surface.send({ method: "POST", target, body })).toMatchObject({ status: 201 });
    });

    test("is rejected in an update, because it might mean to clear the field", async () => {
      const { method, target, pool } = await updateRequest();
      const body = { area_code: null, size: null, utilization: null };
      expect(await refusedFields({ method, target, body })).toEqual(["area_code", "size", "utilization"]);
      expect(await surface.read(200, { target })).toEqual(pool);
    });
  });

  describe("one error reports all violations", () => {
    test("of a new pool: unknown, wrong type, null, missing and out of range", async () => {
      const { method, target } = await poolRequest();
      const body = {
        utilisation: 1,
        size: "10",
        pool_type: 1,
        area_code: "123456",
        is_dni: null,
        is_prompted: "no",
        description: "x".repeat(1001),
      };
      expect(await refusedFields({ method, target, body })).toEqual([
        "area_code",
        "description",
        "is_dni",
        "is_prompted",
        "is_recorded",
        "original_number",
        "pool_type",
        "size",
        "utilisation",
      ]);
    });

    test("of an update: wrong type, unknown field, null, and utilization out of range", async () => {
      const { method, target } = await updateRequest();
      const body = { size: "10", utilization: 7, area_code: null, is_active: true };
      expect(await refusedFields({ method, target, body })).toEqual(["area_code", "is_active", "size", "utilization"]);
    });

    test("with the actual range of an integer", async () => {
      const { method, target } = await updateRequest();
      for (const size of [1.5, 2 ** 31]) {
        const { violations } = await surface.refuse(400, { method, target, body: { size } });
        expect(violations).toEqual([{ field: "size", description: "must be an integer from 1 to 10000" }]);
      }
      const account = { method: "PUT", target: `${ACCOUNTS}/5x`, body: { is_active: true } };
      expect((await surface.refuse(400, account)).message).toBe("id must be an integer from 1 to 2147483647");
      const page = { target: `${ACCOUNTS}?page_size=ten` };
      expect((await surface.refuse(400, page)).message).toBe("page_size must be an integer from 1 to 2147483647");
    });

    test("of an update of an immutable field, even when it is only planned", async () => {
      const { method, target } = await updateRequest();
      const mutable = 'area_code, size, utilization, as in {"size": 3}';
      const description = `cannot be changed; the fields that can change are: ${mutable}`;
      for (const request of [
        { method, target },
        { method: "POST", target: `${target}:plan` },
      ]) {
        const refusal = await surface.refuse(400, { ...request, body: { size: 9, pool_type: "x" } });
        expect(refusal).toMatchObject(createInvalidFieldRefusal("pool_type", description));
      }
    });

    test("of an update of a manual pool, but ignores its utilization", async () => {
      const { method, target } = await updateRequest({ pool_type: "manual" });
      expect(await refusedFields({ method, target, body: { size: "10", utilization: 7 } })).toEqual(["size"]);
    });

    test("of a path and a body", async () => {
      const body = { is_active: 1, a: 2 };
      expect(await refusedFields({ method: "PUT", target: `${ACCOUNTS}/05`, body })).toEqual(["a", "id", "is_active"]);
    });

    test("of a query", async () => {
      expect(await refusedFields({ target: `${ACCOUNTS}?page_size=0&order=id` })).toEqual(["order", "page_size"]);
    });

    test("and precedes the error for an unknown account", async () => {
      const target = `/dni_manager/accounts/${uniqueToken("nobody")}/pools`;
      expect((await surface.refuse(400, { method: "POST", target, body: { size: "1" } })).reason).toBe("FIELD_INVALID");
    });
  });

  describe("queries", () => {
    test.each([
      ["GET", `${ACCOUNTS}?utilisation=1`, "utilisation"],
      ["GET", "/dni_manager/accounts/nobody/pools?account_id=nobody", "account_id"],
      ["POST", `${ACCOUNTS}?account_token=x`, "account_token"],
      ["PUT", `${ACCOUNTS}/1?is_active=true`, "is_active"],
    ])("%s %s rejects the unknown parameter %s", async (method, target, field) => {
      const body = { POST: { account_token: "y" }, PUT: { is_active: true } }[method];
      const refusal = await surface.refuse(400, { method, target, ...(body && { body }) });
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "FIELD_INVALID" });
      expect(refusal.violations).toMatchObject([{ field }]);
    });

    test.each(["page_size=abc", "page_size=1&pageSize=1"])("rejects %s", async (query) => {
      expect(await refusedFields({ target: `${ACCOUNTS}?${query}` })).toEqual(["page_size"]);
    });

    test.each(["page_size=1", "pageSize=1"])("%s returns one entry per page", async (query) => {
      await newAccount(surface.api);
      expect(await surface.read(200, { target: `${ACCOUNTS}?${query}` })).toHaveLength(1);
    });
  });

  describe("a path variable in the body", () => {
    test("is accepted if it is equal", async () => {
      const { account, method, target, body } = await poolRequest();
      const { account_token } = account;
      const { id } = await surface.read<PoolJson>(201, {
        method,
        target,
        body: { ...body, account_id: account_token },
      });
      const update = { accountId: account_token, pool_id: id, size: 9 };
      await surface.read(200, { method: "PUT", target: `${target}/${id}`, body: update });
      const enable = { method: "PUT", target: `${ACCOUNTS}/${account.id}`, body: { id: account.id, is_active: true } };
      expect(await surface.send(enable)).toMatchObject({ status: 204 });
    });

    test("is rejected if it is not equal", async () => {
      const { account, method, target, body } = await poolRequest();
      for (const account_id of ["other", String(account.id), ""]) {
        const refusal = await surface.refuse(400, { method, target, body: { ...body, account_id } });
        expect(refusal).toMatchObject({ reason: "FIELD_INVALID", violations: [{ field: "account_id" }] });
      }
      const update = await updateRequest();
      expect(await refusedFields({ ...update, body: { pool_id: crypto.randomUUID() } })).toEqual(["pool_id"]);
      const put = { method: "PUT", target: `${ACCOUNTS}/${account.id}`, body: { id: account.id + 1, is_active: true } };
      expect((await surface.refuse(400, put)).violations).toMatchObject([{ field: "id" }]);
    });
  });

  describe("content types", () => {
    test.each([undefined, "application/json; charset=utf-8"])("accepts %s as JSON", async (type) => {
      const body = JSON.stringify({ account_token: uniqueToken() });
      const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
      expect(await surface.send({ method: "POST", target: ACCOUNTS, headers, body })).toMatchObject({ status: 201 });
    });

    test.each(["text/plain", "application/x-www-form-urlencoded"])("rejects %s with a hint", async (type) => {
      const body = JSON.stringify({ account_token: uniqueToken() });
      const headers = { "content-type": type };
      expect(await surface.refuse(415, { method: "POST", target: ACCOUNTS, headers, body })).toMatchObject({
        status: "INVALID_ARGUMENT",
        message: expect.stringContaining("application/json"),
        reason: "CONTENT_TYPE_UNSUPPORTED",
      });
    });
  });

  describe("bodies", () => {
    test.each([undefined, "", new Uint8Array()])("treats an empty body as {}: %j", async (body) => {
      const missing = await surface.refuse(400, { method: "POST", target: ACCOUNTS, body, headers: JSON_TYPE });
      expect(missing.message).toBe("account_token is required");
      const { method, target, pool } = await updateRequest();
      for (const headers of [JSON_TYPE, {}]) {
        expect(await surface.read(200, { method, target, body, headers })).toEqual(pool);
      }
    });

    test.each(['{"account_token":"x"', "account_token=x", "[]"])("rejects the malformed body %s", async (body) => {
      const refusal = await surface.refuse(400, { method: "POST", target: ACCOUNTS, headers: JSON_TYPE, body });
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "BODY_MALFORMED" });
    });

    test("rejects a NUL in a string, and reports its field", async () => {
      for (const [method, target, field, rest] of [
        ["POST", ACCOUNTS, "account_token", {}],
        ["POST", "/dni_manager/accounts/nobody/phone_numbers", "description", { phone_number: "+12223334444" }],
      ] as const) {
        const refusal = await surface.refuse(400, { method, target, body: { ...rest, [field]: "a\0b" } });
        expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", violations: [{ field }] });
      }
    });
  });
});
