import { describe, expect, test } from "vitest";
import type { PoolJson, RequestFields } from "../testing/api-client.js";
import { describeJsonPaths } from "../testing/describe-json-paths.js";
import type { HttpRequest } from "../testing/http-request.js";
import { invalidField } from "../testing/refusal.js";
import {
  automanagedPool,
  manualPool,
  newAccount,
  newAccountWithNumber,
  newPool,
  uniqueNumber,
  uniqueToken,
} from "../testing/request-fields.js";

const ACCOUNTS = "/call_tracking/accounts";
const JSON_TYPE = { "content-type": "application/json" };
const INVENTORY = "/dni_manager/tracking_numbers:add";
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Converts a name from snake_case to lowerCamelCase. */
function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Every field of a pool to create, with JSON values of wrong types. */
const wrongTypes: readonly (readonly [field: string, values: readonly string[]])[] = [
  ["size", ['"10"', "1.5", "true", "[5]", "{}", "2147483648", "1e999", '""']],
  ["utilization", ['"0.5"', '"NaN"', '"Infinity"', '""', "true", "[0.5]", "{}", "1e999"]],
  ["area_code", ["123", "true", "[]", '["1"]', "{}"]],
  ["original_number", ["12223334444", "true", "{}"]],
  ["description", ["5", "false", "[]"]],
  ["property_token", ["5", "true", "{}"]],
  ["is_dni", ['"true"', "1", "0", '""', "[]"]],
  ["is_prompted", ['"false"', "1", "{}"]],
  ["is_recorded", ['"yes"', "0", "[true]"]],
  ["pool_type", ["1", "2", "true", '"1"', '"robot"', '""', '["manual"]']],
];

/** Fields that CreatePool does not have. */
const unknownFields = [
  "utilisation",
  "Size",
  "pool_id2",
  "id",
  "original_number_id",
  "account_token",
  "is_active",
  "created_at",
  "__proto__",
  "constructor",
  "",
];

const malformed: readonly (readonly [name: string, body: string | Uint8Array])[] = [
  ["an unclosed object", '{"account_token":"x"'],
  ["text after its end", '{"account_token":"x"} x'],
  ["a form", "account_token=x"],
  ["a NUL in a string", '{"account_token":"a\0b"}'],
  ["an unpaired surrogate in a string", '{"account_token":"\\ud800"}'],
  ["bytes that are not UTF-8", Buffer.from('{"account_token":"\xff"}', "latin1")],
  ["UTF-16", Buffer.from('{"account_token":"x"}', "utf16le")],
  ["a byte order mark before it", '\ufeff{"account_token":"x"}'],
];

describeJsonPaths("JSON requests", (surface) => {
  /** Builds a POST of a pool for a new account and number. */
  async function poolRequest(template: typeof manualPool = manualPool) {
    const { account, number } = await newAccountWithNumber(surface.api);
    const { account_id: _, ...body } = template(account, number);
    return { account, method: "POST", target: `/dni_manager/accounts/${account.account_token}/pools`, body };
  }

  /** Builds a PUT of a new pool. */
  async function updateRequest(fields: RequestFields = {}) {
    const { account, pool } = await newPool(surface.api, fields);
    const target = `/dni_manager/accounts/${account.account_token}/pools/${pool.id}`;
    return { account, pool, method: "PUT", target };
  }

  /** Sends a request that must be refused, and returns the names of its invalid fields, sorted. */
  async function refusedFields(request: HttpRequest) {
    const { violations } = await surface.refuse(400, request);
    return violations.map(({ field }) => field).toSorted();
  }

  describe("names of fields", () => {
    test("may be in lowerCamelCase, also mixed with snake_case", async () => {
      const { method, target, body } = await poolRequest(automanagedPool);
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

    test.each([
      ["in both spellings", '{"area_code":"1","areaCode":"1"}'],
      ["twice in snake_case", '{"area_code":"1","area_code":"1"}'],
      ["twice in lowerCamelCase", '{"areaCode":"1","size":3,"areaCode":"2"}'],
      ["twice, once with an escape", '{"area_code":"1","area\\u005fcode":"2"}'],
    ])("are refused %s", async (_, body) => {
      const { method, target } = await updateRequest();
      const refusal = await surface.refuse(400, { method, target, body, headers: JSON_TYPE });
      expect(refusal).toMatchObject({ reason: "FIELD_INVALID", violations: [{ field: "area_code" }] });
    });

    test.each(unknownFields)("are refused and reported if unknown: %j", async (name) => {
      const { method, target, body } = await poolRequest();
      const text = JSON.stringify(body).replace(/\}$/, `,${JSON.stringify(name)}:1}`);
      const refusal = await surface.refuse(400, { method, target, headers: JSON_TYPE, body: text });
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "FIELD_INVALID" });
      expect(refusal.violations).toHaveLength(1);
      expect(JSON.stringify(refusal.violations)).toContain(name);
    });

    test("a misspelt utilisation is refused even if null, and the pool stays unchanged", async () => {
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
    ])("%s %s refuses an unknown field", async (method, target, body, field) => {
      expect(await refusedFields({ method, target, body })).toEqual([field]);
    });

    test.each([
      "original_number",
      "description",
      "is_dni",
      "is_prompted",
      "is_recorded",
      "is_active",
      "pool_type",
      "property_token",
      "id",
    ])("an update refuses %s, and lists the three fields that can change", async (field) => {
      const { method, target } = await updateRequest();
      const refusal = await surface.refuse(400, { method, target, body: { [field]: "x", size: 7 } });
      expect(refusal.violations).toEqual([
        { field, description: expect.stringContaining("area_code, size, utilization") },
      ]);
    });
  });

  describe("types", () => {
    test.each(wrongTypes)("%s refuses each of %j", async (field, values) => {
      const { method, target, body } = await poolRequest(automanagedPool);
      for (const value of values) {
        const text = JSON.stringify({ ...body, [field]: "HERE" }).replace('"HERE"', value);
        const refusal = await surface.refuse(400, { method, target, headers: JSON_TYPE, body: text });
        expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "FIELD_INVALID", violations: [{ field }] });
      }
    });

    test.each([
      ["POST", ACCOUNTS, "account_token", 5],
      ["POST", ACCOUNTS, "account_token", { a: 1 }],
      ["PUT", `${ACCOUNTS}/1`, "is_active", "true"],
      ["PUT", `${ACCOUNTS}/1`, "is_active", 1],
      ["POST", "/dni_manager/accounts/nobody/phone_numbers", "phone_number", 12_223_334_444],
    ])("%s %s refuses a wrong type of %s: %j", async (method, target, field, value) => {
      expect(await refusedFields({ method, target, body: { [field]: value } })).toEqual([field]);
    });

    test.each(['"0.5"', "true", '"NaN"', "{}"])(
      "the utilization %s is not a number and is refused even for a manual pool",
      async (value) => {
        const create = await poolRequest();
        const text = JSON.stringify(create.body).replace(/\}$/, `,"utilization":${value}}`);
        expect(await refusedFields({ ...create, headers: JSON_TYPE, body: text })).toEqual(["utilization"]);
        const update = await updateRequest({ pool_type: "manual" });
        const body = `{"utilization":${value}}`;
        expect(await refusedFields({ ...update, headers: JSON_TYPE, body })).toEqual(["utilization"]);
      },
    );

    test.each([
      ["manual", "manual"],
      ["automated", "automanaged"],
      ["automanaged", "automanaged"],
      ["POOL_TYPE_MANUAL", "manual"],
      ["POOL_TYPE_AUTOMANAGED", "automanaged"],
      ["POOL_TYPE_AUTOMATED", "automanaged"],
    ])("accepts the pool type %s, and returns it as %s", async (pool_type, returned) => {
      const { method, target, body } = await poolRequest(automanagedPool);
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

    test.each(["size", "is_dni", "pool_type", "area_code", "original_number"])(
      "counts as a missing value of the required field %s",
      async (field) => {
        const { method, target, body } = await poolRequest();
        const refusal = await surface.refuse(400, { method, target, body: { ...body, [field]: null } });
        expect(refusal.violations).toEqual([{ field, description: "is required" }]);
      },
    );

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

    test.each(["area_code", "size", "utilization"])(
      "is refused for %s in an update, because it might mean to clear the field",
      async (field) => {
        const { method, target, pool } = await updateRequest();
        const refusal = await surface.refuse(400, { method, target, body: { [field]: null } });
        expect(refusal).toMatchObject({ reason: "FIELD_INVALID", violations: [{ field }] });
        expect(await surface.read(200, { target })).toEqual(pool);
      },
    );
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

    test.each(["original_number", "description", "pool_type", "is_dni", "property_token", "id"])(
      "of an update of the immutable field %s, and lists the mutable ones",
      async (field) => {
        const { method, target } = await updateRequest();
        const mutable = 'area_code, size, utilization, as in {"size": 20}';
        const description = `cannot be changed; the fields that can change are: ${mutable}`;
        const body = { size: 9, [field]: "x" };
        for (const request of [
          { method, target },
          { method: "POST", target: `${target}:plan` },
        ]) {
          const refusal = await surface.refuse(400, { ...request, body });
          expect(refusal).toMatchObject(invalidField(field, description));
        }
      },
    );

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
      ["GET", `${ACCOUNTS}?page_sizes=1`, "page_sizes"],
      ["GET", `${ACCOUNTS}/1?page_size=1`, "page_size"],
      ["GET", `${ACCOUNTS}/1?id=1`, "id"],
      ["GET", "/dni_manager/accounts/nobody/pools?account_id=nobody", "account_id"],
      ["GET", "/dni_manager/accounts/nobody/pools?filter=", "filter"],
      ["GET", "/dni_manager/accounts/nobody/phone_numbers?x", "x"],
      ["POST", `${ACCOUNTS}?account_token=x`, "account_token"],
      ["PUT", `${ACCOUNTS}/1?is_active=true`, "is_active"],
      ["PUT", "/dni_manager/accounts/nobody/pools/x?size=5", "size"],
    ])("%s %s refuses the unknown parameter %s", async (method, target, field) => {
      const body = { POST: { account_token: "y" }, PUT: target.includes("pools") ? {} : { is_active: true } }[method];
      const refusal = await surface.refuse(400, { method, target, ...(body && { body }) });
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "FIELD_INVALID" });
      expect(refusal.violations).toMatchObject([{ field }]);
    });

    test.each([
      "page_size=abc",
      "page_size=1.5",
      "page_size=",
      "page_size=1&page_size=2",
      "page_size=1&pageSize=1",
      "page_size=%20",
      "page_size=99999999999",
    ])("refuses %s", async (query) => {
      expect(await refusedFields({ target: `${ACCOUNTS}?${query}` })).toEqual(["page_size"]);
    });

    test.each(["page_size=1", "pageSize=1", "page_size=%31"])("%s returns one entry per page", async (query) => {
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

    test("is refused if it is not equal", async () => {
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
    test.each([undefined, "application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"])(
      "accepts %s as JSON",
      async (type) => {
        const body = JSON.stringify({ account_token: uniqueToken() });
        const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
        expect(await surface.send({ method: "POST", target: ACCOUNTS, headers, body })).toMatchObject({ status: 201 });
      },
    );

    test.each([
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/xml",
      "multipart/form-data; boundary=x",
      "application/json; charset=latin1",
      "json",
    ])("refuses %s with a hint", async (type) => {
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

    test.each(malformed)("refuses a body with %s", async (_, body) => {
      const refusal = await surface.refuse(400, { method: "POST", target: ACCOUNTS, headers: JSON_TYPE, body });
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "BODY_MALFORMED" });
    });

    test.each(["null", "true", "5", '"x"', "[]", '[{"account_token":"x"}]'])(
      "refuses a body that is not an object: %s",
      async (body) => {
        const refusal = await surface.refuse(400, { method: "POST", target: ACCOUNTS, headers: JSON_TYPE, body });
        expect(refusal.status).toBe("INVALID_ARGUMENT");
      },
    );

    test.each(["a\\u0000b", "\\u0000"])("refuses the string %s, and reports its field", async (text) => {
      for (const [method, target, field, rest] of [
        ["POST", ACCOUNTS, "account_token", {}],
        ["POST", "/dni_manager/accounts/nobody/phone_numbers", "description", { phone_number: "+12223334444" }],
      ] as const) {
        const body = JSON.stringify({ ...rest, [field]: "HERE" }).replace("HERE", text);
        const refusal = await surface.refuse(400, { method, target, headers: JSON_TYPE, body });
        expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", violations: [{ field }] });
      }
    });

    test("reads a body of exactly 4 MiB, if the method allows that", async () => {
      const body = '{"tracking_numbers":[]}'.padEnd(MAX_BODY_BYTES);
      const refusal = await surface.refuse(400, { method: "POST", target: INVENTORY, headers: JSON_TYPE, body });
      expect(refusal).toMatchObject({ reason: "FIELD_INVALID", violations: [{ field: "tracking_numbers" }] });
    });

    test.each([{}, { "transfer-encoding": "chunked" }])("refuses a body over 4 MiB, sent with %j", async (framing) => {
      const headers = surface.version === "HTTP/2" ? JSON_TYPE : { ...JSON_TYPE, ...framing };
      const body = `{"tracking_numbers":"${"x".repeat(MAX_BODY_BYTES)}"}`;
      expect(await surface.refuse(413, { method: "POST", target: INVENTORY, headers, body })).toMatchObject({
        status: "RESOURCE_EXHAUSTED",
        reason: "BODY_TOO_LARGE",
        message: `the body must be at most ${MAX_BODY_BYTES} bytes`,
      });
    });
  });
});
