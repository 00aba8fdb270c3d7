import { describe, expect, test } from "vitest";
import type { AccountJson } from "../testing/api-client.js";
import { describeJsonPaths, type JsonPathService } from "../testing/describe-json-paths.js";
import { createManualPoolFields, newAccount, newPool, uniqueNumber, uniqueToken } from "../testing/request-fields.js";

const UUID = "01890000-0000-7000-8000-000000000000";

/** Sample paths, with the HTTP methods that each path allows. */
const paths = [
  ["/call_tracking/accounts", "GET, HEAD, OPTIONS, POST"],
  ["/call_tracking/accounts/1", "GET, HEAD, OPTIONS, PUT"],
  ["/dni_manager/accounts/nobody/phone_numbers", "GET, HEAD, OPTIONS, POST"],
  [`/dni_manager/accounts/nobody/phone_numbers/${UUID}`, "GET, HEAD, OPTIONS"],
  ["/dni_manager/accounts/nobody/pools", "GET, HEAD, OPTIONS, POST"],
  [`/dni_manager/accounts/nobody/pools/${UUID}`, "GET, HEAD, OPTIONS, PUT"],
] as const;

const unknownPaths = [
  "/nope",
  "/dni_manager/accounts/nobody",
  "/call_tracking/accounts/",
  "/Call_Tracking/accounts",
  "//call_tracking/accounts",
  "/x/../call_tracking/accounts",
  "/call_tracking%2Faccounts",
];

/** The path of an account's pools. The name is inserted without escaping. */
function poolsOf(name: string): string {
  return `/dni_manager/accounts/${name}/pools`;
}

async function createPoolFor(surface: JsonPathService, account: AccountJson): Promise<string> {
  const number = uniqueNumber();
  await surface.api.createPhoneNumber({ account_id: String(account.id), phone_number: number });
  const pool = { ...createManualPoolFields(account, number), account_id: String(account.id) };
  return (await surface.api.createPool(pool)).id;
}

describeJsonPaths("JSON paths", (surface) => {
  test.each(unknownPaths)("returns 404 for the unknown path %s", async (target) => {
    expect(await surface.refuse(404, { target })).toMatchObject({ status: "NOT_FOUND", reason: "ROUTE_NOT_FOUND" });
  });

  test.each(["POST", "PUT"])("has no path to enable or disable a pool with %s", async (method) => {
    const { account, pool } = await newPool(surface.api);
    for (const tail of ["enable", "disable", "is_active"]) {
      const target = `${poolsOf(account.account_token)}/${pool.id}/${tail}`;
      const refusal = await surface.refuse(404, { method, target, body: {} });
      expect(refusal).toMatchObject({ status: "NOT_FOUND", reason: "ROUTE_NOT_FOUND" });
    }
  });

  test.each(["DELETE", "PATCH"])("rejects %s of an existing pool, and keeps the pool", async (method) => {
    const { account, pool } = await newPool(surface.api);
    const target = `${poolsOf(account.account_token)}/${pool.id}`;
    const refusal = await surface.refuse(405, { method, target, body: { size: 1 } });
    expect(refusal).toMatchObject({ status: "UNIMPLEMENTED", reason: "METHOD_NOT_ALLOWED" });
    expect(refusal.headers.allow).toBe("GET, HEAD, OPTIONS, PUT");
    expect(await surface.read(200, { target })).toEqual(pool);
  });

  test.each(paths)("OPTIONS of %s lists %s", async (target, allow) => {
    const answer = await surface.send({ method: "OPTIONS", target });
    expect(answer).toMatchObject({ status: 204, text: "", headers: { allow } });
  });

  describe("with dni-manager in place of dni_manager", () => {
    test("every path works, and Location and Link keep the spelling", async () => {
      const account = await newAccount(surface.api);
      const parent = `/dni-manager/accounts/${account.account_token}`;
      const number = uniqueNumber();
      const body = { phone_number: number };
      const registered = await surface.send({ method: "POST", target: `${parent}/phone_numbers`, body });
      const { account_id: _, ...fields } = createManualPoolFields(account, number);
      const created = await surface.send({ method: "POST", target: `${parent}/pools`, body: fields });
      await surface.send({ method: "POST", target: `${parent}/pools`, body: fields });
      for (const [answer, collection] of [
        [registered, "phone_numbers"],
        [created, "pools"],
      ] as const) {
        const { id } = JSON.parse(answer.text);
        expect(answer).toMatchObject({ status: 201, headers: { location: `${parent}/${collection}/${id}` } });
        const found = await surface.send({ target: answer.headers.location ?? "" });
        expect(found).toMatchObject({ status: 200, text: answer.text });
        const underscored = (answer.headers.location ?? "").replace("dni-manager", "dni_manager");
        expect(await surface.send({ target: underscored })).toMatchObject({ status: 200, text: answer.text });
      }
      const { id } = JSON.parse(created.text);
      const page = await surface.send({ target: `${parent}/pools?page_size=1` });
      expect(page.headers.link).toMatch(new RegExp(`^<${parent}/pools\\?page_size=1&page_token=[^>]+>; rel="next"$`));
      const targets = [
        ...[":explain", "/history", "/call_trackers"].map((tail) => `${parent}/pools/${id}${tail}`),
        `${parent}/pools:export`,
        "/dni-manager/tracking_numbers?page_size=1",
        "/dni-manager/tracking_numbers:count",
        "/dni-manager/clock",
        "/dni-manager/accounts/acme/properties/shop/numbers",
      ];
      for (const target of targets) expect(await surface.send({ target })).toMatchObject({ status: 200 });
    });

    test("no other path has two spellings", async () => {
      for (const target of ["/call-tracking/accounts", "/dni-manager", "/dni-managers/clock"]) {
        expect(await surface.refuse(404, { target })).toMatchObject({ reason: "ROUTE_NOT_FOUND" });
      }
    });
  });

  test("returns 404 for OPTIONS of an unknown path", async () => {
    const refusal = await surface.refuse(404, { method: "OPTIONS", target: "/nope" });
    expect(refusal.reason).toBe("ROUTE_NOT_FOUND");
  });

  test("HEAD responds like GET, without the body", async () => {
    const { account, pool } = await newPool(surface.api);
    for (const [target, status] of [
      [`${poolsOf(account.account_token)}/${pool.id}`, 200],
      [poolsOf(account.account_token), 200],
      [`${poolsOf(account.account_token)}/${UUID}`, 404],
      ["/nope", 404],
    ] as const) {
      const get = await surface.send({ target });
      const head = await surface.send({ method: "HEAD", target });
      expect(head).toMatchObject({ status, text: "" });
      for (const name of ["content-type", "content-length"]) expect(head.headers[name]).toBe(get.headers[name]);
    }
  });

  describe("an account's token in a path", () => {
    test.each([
      ["any characters", "a/%2F%+:;a=b@,?#é☎😀", "%61%2f%252F%25+%3A;a=b@,%3F%23%C3%A9%E2%98%8E%F0%9F%98%80"],
      ["what looks like a verb", ":enable", ":enable"],
    ])("may contain %s", async (_, text, escaped) => {
      const token = uniqueToken();
      const account = await surface.api.createAccount({ account_token: `${token}${text}` });
      const id = await createPoolFor(surface, account);
      const target = poolsOf(`${token}${escaped}`);
      expect(await surface.read(200, { target })).toMatchObject([{ id, account_token: `${token}${text}` }]);
      expect(await surface.read(200, { target: `${target}/${id}` })).toMatchObject({ id });
    });

    test("with an unescaped slash is another path", async () => {
      const token = uniqueToken("a/b");
      await surface.api.createAccount({ account_token: token });
      expect(await surface.refuse(404, { target: poolsOf(token) })).toMatchObject({ reason: "ROUTE_NOT_FOUND" });
    });

    test.each(["..", "%2E%2e"])("is not normalized: %s is a name, and no account's", async (segment) => {
      const token = decodeURIComponent(segment);
      const { message, reason } = await surface.refuse(404, { target: poolsOf(segment) });
      expect([message, reason]).toEqual([
        `account "${token}" not found: check the token or id, or create the account first`,
        "ACCOUNT_NOT_FOUND",
      ]);
    });

    test("may be ...", async () => {
      await surface.send({ method: "POST", target: "/call_tracking/accounts", body: { account_token: "..." } });
      const account = (await surface.api.listAccounts()).entries.find(({ account_token }) => account_token === "...");
      const id = await createPoolFor(surface, account as AccountJson);
      const target = `${poolsOf("...")}/${id}`;
      expect(await surface.read(200, { target })).toMatchObject({ id, account_token: "..." });
    });
  });

  test("decodes escaped unreserved characters", async () => {
    expect(await surface.send({ target: "/call%5Ftracking/account%73" })).toMatchObject({ status: 200 });
  });

  test.each(["%zz", "%C0%AF"])("rejects the percent-encoding %s at any position", async (escaped) => {
    for (const target of [poolsOf(escaped), `/nope/${escaped}`, `/call_tracking/accounts/${escaped}`]) {
      expect(await surface.refuse(400, { target })).toMatchObject({
        status: "INVALID_ARGUMENT",
        reason: "PATH_MALFORMED",
      });
    }
  });

  test("rejects an escaped NUL in the name of an account", async () => {
    expect(await surface.refuse(400, { target: poolsOf("a%00b") })).toMatchObject({
      violations: [{ field: "account_id" }],
    });
  });

  test.each(["05", "0", "-5", "x", "2147483648"])(
    "rejects the account id %s in updates, and finds no account in reads",
    async (id) => {
      const target = `/call_tracking/accounts/${id}`;
      expect(await surface.refuse(400, { method: "PUT", target, body: { is_active: true } })).toMatchObject({
        status: "INVALID_ARGUMENT",
        reason: "FIELD_INVALID",
        violations: [{ field: "id" }],
      });
      expect(await surface.refuse(404, { target })).toMatchObject({ reason: "ACCOUNT_NOT_FOUND" });
    },
  );

  test("ignores a question mark without a query", async () => {
    expect(await surface.send({ target: "/call_tracking/accounts?" })).toMatchObject({ status: 200 });
  });

  test.each([
    ["/healthz", "alive"],
    ["/readyz", "ready"],
  ])("%s reports that the server is %s", async (target, status) => {
    const answer = await surface.send({ target });
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
    expect(JSON.parse(answer.text)).toEqual({ status });
  });
});

describeJsonPaths(
  "with BASE_PATH=/api/v1",
  (surface) => {
    test("serves the JSON paths below it, also in Location and Link", async () => {
      const { account, number, pool } = await newPool(surface.api);
      await surface.api.createPool(createManualPoolFields(account, number));
      expect(await surface.send({ target: `/api/v1${poolsOf(account.account_token)}/${pool.id}` })).toMatchObject({
        status: 200,
      });

      const body = { account_token: uniqueToken() };
      const created = await surface.send({ method: "POST", target: "/api/v1/call_tracking/accounts", body });
      expect(created.headers.location).toBe(`/api/v1/call_tracking/accounts/${JSON.parse(created.text).id}`);
      expect(await surface.send({ target: created.headers.location ?? "" })).toMatchObject({
        status: 200,
        text: created.text,
      });

      const page = await surface.send({ target: `/api/v1${poolsOf(account.account_token)}?page_size=1` });
      expect(page.headers.link).toMatch(/^<\/api\/v1\/dni_manager\/[^>]+>; rel="next"$/);
      const next = /<(.*)>/.exec(String(page.headers.link))?.[1] ?? "";
      expect(await surface.read(200, { target: next })).toHaveLength(1);
    });

    test.each(["", "/api", "/api/v1/", "/API/V1", "/api/v1x", "/api/v1/api/v1"])(
      "does not serve them below %j",
      async (base) => {
        const refusal = await surface.refuse(404, { target: `${base}/call_tracking/accounts` });
        expect(refusal).toMatchObject({ status: "NOT_FOUND", reason: "ROUTE_NOT_FOUND" });
      },
    );

    test("serves health at the root, and RPCs at the root and under the base path", async () => {
      for (const name of ["healthz", "readyz"]) {
        expect(await surface.send({ target: `/${name}` })).toMatchObject({ status: 200 });
        expect(await surface.refuse(404, { target: `/api/v1/${name}` })).toMatchObject({ reason: "ROUTE_NOT_FOUND" });
      }
      const account = await newAccount(surface.clients.grpc);
      for (const base of ["", "/api/v1"]) {
        const target = `${base}/calltracking.v1.AccountService/GetAccount`;
        const found = await surface.read(200, { method: "POST", target, body: { id: account.id } });
        expect(found).toMatchObject({ accountToken: account.account_token });
      }
    });
  },
  { basePath: "/api/v1" },
);
