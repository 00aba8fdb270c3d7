import { afterAll, describe, expect, test } from "vitest";
import { HTTP_VERSIONS, type HttpRequest, sendHttp } from "../testing/http-request.js";
import { RawConnection } from "../testing/raw-connection.js";
import { startTestServer } from "../testing/test-server.js";

const ACCOUNTS = "/call_tracking/accounts";
const RPC = "/calltracking.v1.AccountService/ListAccounts";
const JSON_TYPE = { "content-type": "application/json" };

const server = await startTestServer("postgres");

afterAll(() => server.stop());

const ANSWERS: readonly (readonly [string, HttpRequest])[] = [
  ["a success", { target: ACCOUNTS }],
  ["a success of POST", { method: "POST", target: ACCOUNTS, body: { account_token: "nosniff" } }],
  ["an error of a method", { method: "POST", target: ACCOUNTS, body: { account_token: "" } }],
  ["a malformed body", { method: "POST", target: ACCOUNTS, headers: JSON_TYPE, body: "{" }],
  ["an unknown path", { target: "/nope" }],
  ["a URL that is too long", { target: `/${"x".repeat(9000)}` }],
  ["headers that are too large", { target: ACCOUNTS, headers: { "x-large": "x".repeat(17_000) } }],
  ["the liveness check", { target: "/healthz" }],
  ["the readiness check", { target: "/readyz" }],
  ["the OpenAPI document", { target: "/openapi.json" }],
  ["a method that a page does not support", { method: "POST", target: "/openapi.json" }],
  ["Connect", { method: "POST", target: RPC, headers: JSON_TYPE, body: "{}" }],
  ["an error of Connect", { method: "POST", target: RPC, headers: JSON_TYPE, body: "{" }],
  ["an error of connect-node", { method: "POST", target: RPC, headers: { "content-type": "text/plain" }, body: "x" }],
];

describe.each(HTTP_VERSIONS)("over %s, x-content-type-options is nosniff for", (version) => {
  test.each(ANSWERS)("%s", async (_, request) => {
    const { headers } = await sendHttp(version, server.port, request);
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff" });
  });
});

test.each([
  ["data that is not HTTP", "nonsense\r\n\r\n"],
  ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n"],
  ["an unknown expectation", "GET /healthz HTTP/1.1\r\nhost: a\r\nexpect: tea\r\nconnection: close\r\n\r\n"],
  ["two Host headers", "GET /healthz HTTP/1.1\r\nhost: a\r\nhost: a\r\nconnection: close\r\n\r\n"],
])("x-content-type-options is nosniff for the error of %s", async (_, bytes) => {
  const connection = new RawConnection(server.port, bytes);
  await expect.poll(() => connection.text).toMatch(/^x-content-type-options: nosniff\r$/im);
});
