import { connect } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { CALL_VARIANTS } from "../../testing/call-variants.js";
import { createDataLocation } from "../../testing/data-location.js";
import { HTTP_VERSIONS, sendHttp } from "../../testing/http-request.js";
import { createJsonClient } from "../../testing/json-client.js";
import { connectToPostgres, queryOnce } from "../../testing/pg-client.js";
import { requireRefusal } from "../../testing/refusal.js";
import { newAccount } from "../../testing/request-fields.js";
import { type LogLine, startServerProcess } from "../../testing/server-process.js";

const { environment } = await createDataLocation("postgres");
const server = await startServerProcess({ ...environment, LOG_LEVEL: "debug" });
const account = await newAccount(createJsonClient(server.url));

afterAll(() => server.stop());

/** Waits for the log lines of a request and returns them. */
async function linesOf(requestId: string): Promise<LogLine[]> {
  const find = () => server.log.filter((line) => line.request_id === requestId);
  await expect.poll(find).not.toEqual([]);
  return find();
}

describe.each(CALL_VARIANTS)("over $title", ({ listPools, protocol }) => {
  test("uses the client's request id in the response and in the log", async () => {
    const id = `~client!${protocol}${Math.random()}`;
    const found = await listPools(server.port, account.account_token, { "x-request-id": id });
    expect(found).toMatchObject({ isFound: true });
    expect(found.headers.get("x-request-id")).toBe(id);
    const method = "calltracking.v1.PoolService/ListPools";
    expect(await linesOf(id)).toMatchObject([{ level: "debug", msg: "request", code: "OK", method, protocol }]);

    const missing = await listPools(server.port, "nobody", { "x-request-id": `${id}-2` });
    expect(missing).toMatchObject({ isFound: false });
    expect(missing.headers.get("x-request-id")).toBe(`${id}-2`);
    expect(await linesOf(`${id}-2`)).toMatchObject([{ level: "debug", msg: "request", code: "NOT_FOUND", method }]);
  });

  test.each(["x".repeat(129), "two words", "tab\there"])("replaces an invalid id: %j", async (given) => {
    const { headers } = await listPools(server.port, account.account_token, { "x-request-id": given });
    expect(headers.get("x-request-id")).toMatch(/^[\da-f]{12}-\d+$/);
  });

  test("generates a unique id for each request without an id", async () => {
    const ids = new Set<string | null>();
    for (const id of [account.account_token, "nobody", account.account_token]) {
      ids.add((await listPools(server.port, id)).headers.get("x-request-id"));
    }
    expect(ids.size).toBe(3);
    expect(ids).not.toContain(null);
  });
});

describe.each(HTTP_VERSIONS)("over %s", (version) => {
  test.each([
    [{ target: "/healthz" }, "OK"],
    [{ target: "/docs" }, "OK"],
    [{ target: "/nothing" }, "NOT_FOUND"],
    [{ target: "/call_tracking/accounts", method: "DELETE" }, "UNIMPLEMENTED"],
    [{ target: "/call_tracking/accounts", method: "POST", body: "{" }, "INVALID_ARGUMENT"],
    [{ target: "/call_tracking/accounts", headers: { "x-server-timeout": "soon" } }, "INVALID_ARGUMENT"],
  ] as const)("logs %o with its id and %s", async (request, code) => {
    const { headers } = await sendHttp(version, server.port, request);
    expect(await linesOf(String(headers["x-request-id"]))).toMatchObject([{ level: "debug", msg: "request", code }]);
  });
});

test("a visit's evidence is never logged, even if the request is invalid or fails", async () => {
  const location = await createDataLocation("postgres");
  await using logged = await startServerProcess({ ...location.environment, LOG_LEVEL: "debug" });
  const { account_token: token } = await newAccount(createJsonClient(logged.url));
  const secret = "orchid17";
  const userAgent = `Mozilla/5.0 (X11; ${secret}; rv:145.0) Gecko/20100101 Firefox/145.0`;
  const valid = { utm_source: secret, referrer: `https://${secret}.test`, click_ids: [secret] };
  const send = async (path: string, body: object) => {
    const url = `${logged.url}/dni_manager/accounts/${token}/properties/shop/${path}`;
    const headers = { "content-type": "application/json", "user-agent": userAgent };
    return (await fetch(url, { method: "POST", body: JSON.stringify(body), headers })).status;
  };
  const statuses = async () => [
    await send("visits:resolve", { evidence: valid }),
    await send("visits", { event_id: "1", evidence: valid }),
    await send("visits:resolve", { evidence: { ...valid, utm_source: secret.repeat(600) } }),
    await send("visits:resolve", { evidence: { ...valid, click_ids: { [secret]: secret } } }),
    await send("visits:resolve", { evidence: { ...valid, [secret]: secret } }),
  ];
  expect(await statuses()).toEqual([200, 200, 400, 400, 400]);
  await queryOnce(location.environment.DATABASE_URL, "drop table pools cascade");
  expect(await statuses()).toEqual([500, 500, 400, 400, 400]);
  // Excludes the health checks that the server gets when it starts.
  const requests = () => logged.log.filter(({ msg, method }) => msg === "request" && String(method).includes("Visit"));
  await expect.poll(requests).toHaveLength(10);
  expect(JSON.stringify(logged.log)).not.toContain(secret);
});

test.each([
  ["leaves", "content-length: 100\r\n\r\n{"],
  ["sends malformed HTTP", "transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n"],
])("a client that %s in the middle of a body does not count as a failure", async (title, rest) => {
  const id = title.replaceAll(" ", "-");
  const socket = connect(server.port, "127.0.0.1").resume();
  const head = `POST /call_tracking/accounts HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nx-request-id: ${id}\r\n`;
  socket.write(`${head}x-server-timeout: 60\r\n${rest}`);
  setTimeout(() => socket.destroy(), 200);
  const lines = await linesOf(id);
  expect(lines).toMatchObject([{ level: "debug", msg: "request" }]);
  expect(server.log.filter(({ msg }) => msg === "a request failed")).toEqual([]);
});

test("an error after the deadline is logged, and the request id in an INTERNAL error leads to the logged cause", async () => {
  const location = await createDataLocation("postgres");
  await using broken = await startServerProcess(location.environment);
  const { account_token: token } = await newAccount(createJsonClient(broken.url));
  // Uses a lookup, because concurrent lookups share a statement, which the deadline of a request does not cancel.
  const path = `${broken.url}/dni_manager/accounts/${token}/pools/01990000-0000-7000-8000-000000000000`;
  const client = await connectToPostgres(location.environment.DATABASE_URL);
  await client.query("begin; drop table pools cascade");
  expect((await fetch(path, { headers: { "x-server-timeout": "0.2" } })).status).toBe(504);
  await client.query("commit");
  await client.end();
  // The client already has its response when the statement fails.
  await expect.poll(() => broken.log.filter(({ msg }) => msg === "a request failed")).not.toEqual([]);
  await queryOnce(location.environment.DATABASE_URL, "drop table accounts cascade");
  const { details } = await requireRefusal(createJsonClient(broken.url).listAccounts());
  const info = details.find((detail) => detail["@type"] === "type.googleapis.com/google.rpc.RequestInfo");
  const lines = () => broken.log.filter((line) => line.request_id === info?.request_id);
  await expect.poll(lines).toHaveLength(2);
  expect(lines()).toMatchObject([
    { level: "error", msg: "a request failed", err: { message: expect.stringContaining("accounts") } },
    { level: "warn", msg: "request", code: "INTERNAL" },
  ]);
});
