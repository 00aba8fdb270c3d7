import { afterAll, describe, expect, test } from "vitest";
import { expectDocumented } from "../testing/expect-documented.js";
import { type HttpRequest, sendHttp } from "../testing/http-request.js";
import { startTestServer } from "../testing/test-server.js";

const ACCOUNTS = "/call_tracking/accounts";
const NUMBERS = "/dni_manager/accounts/acme/phone_numbers";
const POOLS = "/dni_manager/accounts/acme/pools";

const AUTOMANAGED = {
  original_number: "+12223334444",
  area_code: "222",
  is_dni: true,
  is_prompted: true,
  is_recorded: false,
  pool_type: "automated",
  property_token: "shop",
  size: 10,
  utilization: 0.5,
};

const MANUAL = { ...AUTOMANAGED, pool_type: "manual", property_token: null, description: "" };

const BASE_PATH = "/api";

async function send(request: HttpRequest) {
  const { method = "GET", target } = request;
  const answer = await sendHttp("HTTP/1.1", server.port, { ...request, target: BASE_PATH + target });
  expectDocumented(method, BASE_PATH + target, answer, BASE_PATH);
  return answer;
}

const server = await startTestServer("postgres", { basePath: BASE_PATH });
const post = async (target: string, body: unknown) => JSON.parse((await send({ method: "POST", target, body })).text);
await post(ACCOUNTS, { account_token: "acme" });
await post(ACCOUNTS, { account_token: "globex" });
const phoneNumberId = (await post(NUMBERS, { phone_number: "+12223334444" })).id;
await post(NUMBERS, { phone_number: "+13334445555", description: "front desk", property_token: "shop" });
const poolId = (await post(POOLS, AUTOMANAGED)).id;
await post(POOLS, MANUAL);

afterAll(() => server.stop());

describe("successful responses match the OpenAPI document", () => {
  test.each<[what: string, request: () => HttpRequest, status: number]>([
    ["create account", () => ({ method: "POST", target: ACCOUNTS, body: { account_token: "initech" } }), 201],
    ["get account", () => ({ target: `${ACCOUNTS}/1` }), 200],
    ["list accounts", () => ({ target: ACCOUNTS }), 200],
    ["a page of accounts", () => ({ target: `${ACCOUNTS}?page_size=1` }), 200],
    ["update account", () => ({ method: "PUT", target: `${ACCOUNTS}/2`, body: { is_active: false } }), 204],
    ["register a number", () => ({ method: "POST", target: NUMBERS, body: { phone_number: "+14445556666" } }), 201],
    ["get a number", () => ({ target: `${NUMBERS}/${phoneNumberId}` }), 200],
    ["list numbers", () => ({ target: NUMBERS }), 200],
    ["a page of numbers", () => ({ target: `${NUMBERS}?page_size=1` }), 200],
    ["create a pool", () => ({ method: "POST", target: POOLS, body: AUTOMANAGED }), 201],
    ["create a manual pool", () => ({ method: "POST", target: POOLS, body: MANUAL }), 201],
    ["get a pool", () => ({ target: `${POOLS}/${poolId}` }), 200],
    ["list pools", () => ({ target: POOLS }), 200],
    ["a page of pools", () => ({ target: `${POOLS}?page_size=1` }), 200],
    ["update a pool", () => ({ method: "PUT", target: `${POOLS}/${poolId}`, body: { size: 20 } }), 200],
    ["export pools", () => ({ target: `${POOLS}:export` }), 200],
    ["export lines", () => ({ target: `${POOLS}:export`, headers: { accept: "application/x-ndjson" } }), 200],
    ["export events", () => ({ target: `${POOLS}:export`, headers: { accept: "text/event-stream" } }), 200],
    ["HEAD of a list", () => ({ method: "HEAD", target: POOLS }), 200],
  ])("%s", async (_what, request, status) => {
    expect(await send(request())).toMatchObject({ status });
  });
});

describe("errors match the OpenAPI document", () => {
  const json = { "content-type": "application/json" };

  test.each<[what: string, request: () => HttpRequest, status: number]>([
    ["an existing account", () => ({ method: "POST", target: ACCOUNTS, body: { account_token: "acme" } }), 409],
    ["a reserved token", () => ({ method: "POST", target: ACCOUNTS, body: { account_token: "1" } }), 409],
    ["an unknown account", () => ({ target: `${ACCOUNTS}/999` }), 404],
    [
      "an update of an unknown account",
      () => ({ method: "PUT", target: `${ACCOUNTS}/999`, body: { is_active: true } }),
      404,
    ],
    ["a registered number", () => ({ method: "POST", target: NUMBERS, body: { phone_number: "+12223334444" } }), 409],
    ["an unknown number", () => ({ target: `${NUMBERS}/nothing` }), 404],
    ["an unknown pool", () => ({ target: `${POOLS}/nothing` }), 404],
    ["an update of an unknown pool", () => ({ method: "PUT", target: `${POOLS}/nothing`, body: {} }), 404],
    ["an export of an unknown account", () => ({ target: "/dni_manager/accounts/nobody/pools:export" }), 404],
    ["an invalid page token", () => ({ target: `${POOLS}?page_token=x` }), 400],
    [
      "a number that is not registered",
      () => ({ method: "POST", target: POOLS, body: { ...MANUAL, original_number: "+19998887777" } }),
      400,
    ],
    [
      "a disabled account",
      () => ({ method: "POST", target: "/dni_manager/accounts/globex/pools", body: AUTOMANAGED }),
      400,
    ],
    ["many violations", () => ({ method: "POST", target: POOLS, body: { size: "10", utilisation: 0.5 } }), 400],
    [
      "null for a field that cannot be unset",
      () => ({ method: "PUT", target: `${POOLS}/${poolId}`, body: { size: null } }),
      400,
    ],
    ["malformed JSON", () => ({ method: "POST", target: ACCOUNTS, body: "{", headers: json }), 400],
    ["a body of a GET request", () => ({ target: POOLS, body: {} }), 400],
    ["a malformed path", () => ({ target: `${ACCOUNTS}/%zz` }), 400],
    ["a malformed timeout", () => ({ target: ACCOUNTS, headers: { "x-server-timeout": "soon" } }), 400],
    ["an unknown query parameter", () => ({ target: `${ACCOUNTS}?color=red` }), 400],
    ["a timeout", () => ({ target: ACCOUNTS, headers: { "x-server-timeout": "0" } }), 504],
    ["an unacceptable stream", () => ({ target: `${POOLS}:export`, headers: { accept: "text/csv" } }), 406],
    [
      "an unsupported content type",
      () => ({ method: "POST", target: ACCOUNTS, body: "a", headers: { "content-type": "text/csv" } }),
      415,
    ],
    [
      "an unknown coding",
      () => ({ method: "POST", target: ACCOUNTS, body: "{}", headers: { ...json, "content-encoding": "lzma" } }),
      415,
    ],
    [
      "too large a body",
      () => ({ method: "POST", target: ACCOUNTS, body: `"${"a".repeat(4_194_304)}"`, headers: json }),
      413,
    ],
    ["an unknown path", () => ({ target: "/nothing" }), 404],
    ["an unsupported method", () => ({ method: "DELETE", target: `${POOLS}/${poolId}` }), 405],
    ["OPTIONS", () => ({ method: "OPTIONS", target: POOLS }), 204],
  ])("%s", async (_what, request, status) => {
    expect(await send(request())).toMatchObject({ status });
  });
});

describe("expectDocumented throws for", () => {
  const pool = { "content-type": "application/json" };

  test.each([
    ["an unlisted status", { status: 418, headers: pool, text: "{}" }],
    ["a missing field", { status: 200, headers: pool, text: "{}" }],
    ["an additional field", { status: 404, headers: pool, text: '{"error": {}, "more": 1}' }],
    ["another media type", { status: 404, headers: { "content-type": "text/plain" }, text: "gone" }],
    ["an unlisted header", { status: 404, headers: { ...pool, location: "/" }, text: "{}" }],
  ])("%s", (_what, answer) => {
    expect(() => expectDocumented("GET", `${POOLS}/x`, answer)).toThrow();
  });
});
