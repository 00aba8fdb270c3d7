import { describe, expect, test } from "vitest";
import { ACCOUNT_FIELDS, PHONE_NUMBER_FIELDS, POOL_FIELDS } from "../testing/api-client.js";
import { describeJsonPaths } from "../testing/describe-json-paths.js";
import { type HttpAnswer, type HttpRequest, sendHttp } from "../testing/http-request.js";
import {
  createManualPoolFields,
  newAccount,
  newAccountWithNumber,
  newPool,
  uniqueNumber,
  uniqueToken,
} from "../testing/request-fields.js";
import { TIMESTAMP } from "../testing/timestamp.js";

const A_DAY_MS = 86_400_000;

/** Returns a response without its date and request id, so that two responses can be compared. */
function comparable({ headers, ...answer }: HttpAnswer) {
  const { date: _, "x-request-id": __, ...compared } = headers;
  return { ...answer, headers: compared };
}

describeJsonPaths("JSON responses", (surface) => {
  const accounts = "/call_tracking/accounts";

  test("caches store no private response, and public ones as their methods allow", async () => {
    const account = await newAccount(surface.api);
    const own = `${accounts}/${account.id}`;
    const [accountRpc, numbersRpc] = ["AccountService/ListAccounts", "DniService/ResolveNumbers"].map(
      (name) => `/calltracking.v1.${name}?connect=v1&encoding=json&message=`,
    );
    const numbers = { account_id: "acme", property_token: "shop", source: "a", medium: "b" };
    const { headers } = await surface.send({ target: own });
    const responses: [expected: string | undefined, request: HttpRequest, status: number][] = [
      ["no-store", { target: accounts }, 200],
      ["no-store", { method: "HEAD", target: accounts }, 200],
      ["no-store", { target: own }, 200],
      ["no-store", { target: own, headers: { "if-none-match": String(headers.etag) } }, 304],
      ["no-store", { method: "PUT", target: own, body: { is_active: true } }, 204],
      ["no-store", { method: "POST", target: accounts, body: { account_token: uniqueToken() } }, 201],
      ["no-store", { target: `/dni_manager/accounts/${account.id}/pools:export` }, 200],
      ["no-store", { target: `${accounts}/nobody` }, 404],
      ["no-store", { target: "/nope" }, 404],
      ["no-store", { target: `${accountRpc}%7B%7D` }, 200],
      ["no-store", { target: `${accountRpc}%7B` }, 400],
      ["public, max-age=30", { target: `${numbersRpc}${encodeURIComponent(JSON.stringify(numbers))}` }, 200],
      ["public, max-age=30", { target: "/dni_manager/accounts/acme/properties/shop/numbers?source=a&medium=b" }, 200],
      ["public, max-age=3600", { target: "/dni.js" }, 200],
      ["no-cache", { target: "/docs" }, 200],
      ["no-cache", { target: "/" }, 200],
    ];
    for (const [expected, request, status] of responses) {
      const answer = await sendHttp(surface.version, surface.server.port, request);
      expect([answer.status, answer.headers["cache-control"]], request.target).toEqual([status, expected]);
    }
  });

  describe("creation returns 201 with the path of the new resource in Location", () => {
    test("for an account", async () => {
      const body = { account_token: uniqueToken() };
      const answer = await surface.send({ method: "POST", target: accounts, body });
      expect(answer).toMatchObject({ status: 201, headers: { "content-type": "application/json" } });
      const { location: target = "" } = answer.headers;
      expect(target).toBe(`${accounts}/${JSON.parse(answer.text).id}`);
      expect(await surface.send({ target })).toMatchObject({ status: 200, text: answer.text });
    });

    test("for a phone number and a pool of an account whose token contains any characters", async () => {
      const account = await surface.api.createAccount({
        account_token: uniqueToken('a/b50%what?é☎😀#;c=d&e+f:g"<>\\^`{|}'),
      });
      const parent = `/dni_manager/accounts/${account.id}`;
      const number = uniqueNumber();
      const { account_id: _, ...pool } = createManualPoolFields(account, number);
      for (const [collection, body] of [
        ["phone_numbers", { phone_number: number }],
        ["pools", pool],
      ] as const) {
        const answer = await surface.send({ method: "POST", target: `${parent}/${collection}`, body });
        expect(answer).toMatchObject({ status: 201, headers: { "content-type": "application/json" } });
        const { id } = JSON.parse(answer.text);
        const { location = "" } = answer.headers;
        expect(location).toMatch(/^[\x21-\x7e]+$/);
        expect(decodeURIComponent(location)).toBe(`/dni_manager/accounts/${account.account_token}/${collection}/${id}`);
        expect(await surface.send({ target: location })).toMatchObject({ status: 200, text: answer.text });
      }
    });
  });

  test("updating an account returns 204 with an empty body", async () => {
    const { id } = await newAccount(surface.api);
    const answer = await surface.send({ method: "PUT", target: `${accounts}/${id}`, body: { is_active: false } });
    expect(answer).toMatchObject({ status: 204, text: "" });
    expect(answer.headers).not.toHaveProperty("content-type");
    expect(answer.headers["content-length"] ?? "0").toBe("0");
  });

  test("updating a pool returns 200 with the pool", async () => {
    const { account, pool } = await newPool(surface.api);
    const target = `/dni_manager/accounts/${account.account_token}/pools/${pool.id}`;
    const answer = await surface.send({ method: "PUT", target, body: { size: 9 } });
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
    expect(JSON.parse(answer.text)).toMatchObject({ id: pool.id, size: 9 });
    expect(answer.headers).not.toHaveProperty("location");
  });

  describe("responses have exactly the documented fields and types", () => {
    test("of an account", async () => {
      const { id } = await newAccount(surface.api);
      await surface.api.updateAccount({ id, is_active: false });
      const account = await surface.read<object>(200, { target: `${accounts}/${id}` });
      expect(Object.keys(account).toSorted()).toEqual(ACCOUNT_FIELDS.toSorted());
      expect(account).toEqual({
        id,
        is_active: false,
        account_token: expect.any(String),
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: expect.stringMatching(TIMESTAMP),
      });
    });

    test("of a phone number, with null for absent values", async () => {
      const { account, numberId } = await newAccountWithNumber(surface.api);
      const target = `/dni_manager/accounts/${account.account_token}/phone_numbers/${numberId}`;
      const phoneNumber = await surface.read<object>(200, { target });
      expect(Object.keys(phoneNumber).toSorted()).toEqual(PHONE_NUMBER_FIELDS.toSorted());
      expect(phoneNumber).toMatchObject({
        id: numberId,
        description: null,
        property_token: null,
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: expect.stringMatching(TIMESTAMP),
      });
    });

    test("of a manual pool, with null for property and utilization", async () => {
      const fields = { is_dni: false, is_prompted: false, is_recorded: false };
      const { account, numberId, pool } = await newPool(surface.api, { pool_type: "manual", ...fields });
      const target = `/dni_manager/accounts/${account.account_token}/pools/${pool.id}`;
      const shown = await surface.read<object>(200, { target });
      expect(Object.keys(shown).toSorted()).toEqual(POOL_FIELDS.toSorted());
      expect(shown).toEqual({
        id: pool.id,
        original_number_id: numberId,
        account_token: account.account_token,
        area_code: "0123",
        description: null,
        ...fields,
        pool_type: "manual",
        property_token: null,
        size: 5,
        utilization: null,
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: expect.stringMatching(TIMESTAMP),
      });
    });

    test("of an automanaged pool, with a number for utilization, even 0", async () => {
      const { account, pool } = await newPool(surface.api, { utilization: 0, description: "" });
      const target = `/dni_manager/accounts/${account.account_token}/pools/${pool.id}`;
      const shown = await surface.read<object>(200, { target });
      expect(Object.keys(shown).toSorted()).toEqual(POOL_FIELDS.toSorted());
      expect(shown).toMatchObject({ pool_type: "automanaged", utilization: 0, description: "", size: 5 });
    });
  });

  test("timestamps are current and in UTC", async () => {
    const { created_at } = await newAccount(surface.api);
    expect(created_at).toMatch(TIMESTAMP);
    // The database's clock may differ from the clock of the test.
    expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(A_DAY_MS);
  });

  test("timestamps always have milliseconds, even in the audit log", async () => {
    const { id, account_token } = await newAccount(surface.api);
    const { kysely } = surface.server.database;
    const whole = new Date("2026-11-20T21:01:15Z");
    await kysely.updateTable("accounts").set({ updated_at: whole }).where("id", "=", id).execute();
    expect(await surface.api.getAccount({ id })).toMatchObject({ updated_at: "2026-11-20T21:01:15.000Z" });
    await surface.api.updateAccount({ id, is_active: true });
    const { entries } = await surface.api.listAuditEntries({ account_id: account_token, page_size: 1 });
    expect(entries).toMatchObject([{ before: { updated_at: "2026-11-20T21:01:15.000Z" } }]);
  });

  test("counts are numbers", async () => {
    const { account, pool } = await newPool(surface.api, { property_token: uniqueToken(), size: 1 });
    const visit = { event_id: uniqueToken(), property_token: pool.property_token, source: "a", medium: "b", count: 7 };
    await surface.api.recordVisits({ account_id: account.account_token, visits: [visit] });
    const target = `/dni_manager/accounts/${account.account_token}/pools/${pool.id}:explain`;
    const counts = { visits_needed: 101, unattributed_visits: 0, sources: [{ visits: 7 }] };
    expect(await surface.read(200, { target })).toMatchObject(counts);
  });

  describe("lists are bare arrays", () => {
    const collections = ["phone_numbers", "pools"] as const;

    test.each(collections)("of %s, empty for a new account", async (collection) => {
      const { account_token } = await newAccount(surface.api);
      const answer = await surface.send({ target: `/dni_manager/accounts/${account_token}/${collection}` });
      expect(answer).toMatchObject({ status: 200, text: "[]", headers: { "content-type": "application/json" } });
    });

    test.each(collections)("of %s, with each entry as returned individually", async (collection) => {
      const { account } = await newPool(surface.api, { description: "naïve ☎" });
      const target = `/dni_manager/accounts/${account.account_token}/${collection}`;
      const { text } = await surface.send({ target });
      const [entry] = JSON.parse(text);
      expect(text).toBe(`[${(await surface.send({ target: `${target}/${entry.id}` })).text}]`);
    });

    test("of accounts, with each entry as returned individually", async () => {
      const { id } = await newAccount(surface.api);
      const { text } = await surface.send({ target: accounts });
      expect(text).toMatch(/^\[\{.*\}\]$/);
      expect(text).toContain((await surface.send({ target: `${accounts}/${id}` })).text);
    });
  });

  describe("X-Next-Page-Token and Link", () => {
    async function lists(): Promise<string[]> {
      const { account, number } = await newPool(surface.api);
      const token = encodeURIComponent(account.account_token);
      await surface.api.createPool(createManualPoolFields(account, number));
      await surface.api.createPhoneNumber({ account_id: account.account_token, phone_number: uniqueNumber() });
      return [accounts, `/dni_manager/accounts/${token}/phone_numbers`, `/dni_manager/accounts/${account.id}/pools`];
    }

    test("are sent if there is a next page, and Link keeps the page size", async () => {
      for (const list of await lists()) {
        const { headers } = await surface.send({ target: `${list}?page_size=1` });
        const token = headers["x-next-page-token"];
        expect(token).toMatch(/^[\w-]+$/);
        expect(headers.link).toMatch(/^<[^<>]+>; rel="next"$/);
        const next = /^<(.*)>/.exec(String(headers.link))?.[1] ?? "";
        expect(Object.fromEntries(new URL(next, surface.server.url).searchParams)).toEqual({
          page_size: "1",
          page_token: token,
        });
        const all = await surface.read<unknown[]>(200, { target: list });
        expect(await surface.read(200, { target: next })).toEqual([all[1]]);
      }
    });

    test("are omitted on the last page", async () => {
      for (const list of await lists()) {
        for (const target of [list, `${list}?page_size=1000`]) {
          const { headers } = await surface.send({ target });
          expect(headers).not.toHaveProperty("x-next-page-token");
          expect(headers).not.toHaveProperty("link");
        }
      }
    });
  });

  test("another account's pool gets the same 404 response as one that does not exist", async () => {
    const { pool } = await newPool(surface.api);
    const { account_token } = await newAccount(surface.api);
    const missing = crypto.randomUUID();
    for (const request of [{}, { method: "PUT", body: { size: 9 } }, { method: "PUT", body: {} }]) {
      const answerFor = async (id: string) =>
        comparable(await surface.send({ ...request, target: `/dni_manager/accounts/${account_token}/pools/${id}` }));
      const unknown = await answerFor(missing);
      expect(unknown).toMatchObject({ status: 404 });
      const ofAnother = await answerFor(pool.id);
      expect(ofAnother).toEqual({ ...unknown, text: unknown.text.replaceAll(missing, pool.id) });
    }
  });

  test("returns 409 for the token of an existing account", async () => {
    const { id, account_token } = await newAccount(surface.api);
    const refusal = await surface.refuse(409, { method: "POST", target: accounts, body: { account_token } });
    expect(refusal).toMatchObject({ status: "ALREADY_EXISTS", metadata: { account_id: String(id) } });
    expect(refusal.headers).not.toHaveProperty("location");
  });

  test("an error has exactly the documented form", async () => {
    const { account, pool } = await newPool(surface.api);
    const target = `/dni_manager/accounts/${account.account_token}/pools/${pool.id}`;
    expect(await surface.read(400, { method: "PUT", target, body: { size: 0 } })).toEqual({
      error: {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: "size must be between 1 and 10000",
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            field_violations: [{ field: "size", description: "must be between 1 and 10000" }],
          },
          { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "FIELD_INVALID", domain: "calltracking" },
        ],
      },
    });
  });
});
