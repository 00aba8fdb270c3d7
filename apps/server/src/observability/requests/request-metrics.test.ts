import { connect } from "node:http2";
import { afterAll, expect, test } from "vitest";
import { beginRequest } from "../../testing/begin-request.js";
import { CALL_VARIANTS } from "../../testing/call-variants.js";
import { callConnect } from "../../testing/connect-call.js";
import { sendHttp } from "../../testing/http-request.js";
import { createJsonClient } from "../../testing/json-client.js";
import { readMetric } from "../../testing/read-metric.js";
import { newAccount } from "../../testing/request-fields.js";
import { startTestServer } from "../../testing/test-server.js";

const LIST = "calltracking.v1.PoolService/ListPools";
const CREATE = "calltracking.v1.AccountService/CreateAccount";

const server = await startTestServer("postgres", { managesPools: false });

afterAll(() => server.stop());

/** Returns the number of completed requests with these labels. */
function count(method: string, protocol: string, code: string): Promise<number> {
  return readMetric(
    server.opsUrl,
    `calltrack_requests_total{method="${method}",protocol="${protocol}",code="${code}"}`,
  );
}

test.each(CALL_VARIANTS)("counts requests over $title by method, protocol and code", async (way) => {
  const { account_token } = await newAccount(createJsonClient(server.url));
  const histogram = `calltrack_request_duration_seconds_count{method="${LIST}",protocol="${way.protocol}"}`;
  const before = {
    ok: await count(LIST, way.protocol, "OK"),
    missing: await count(LIST, way.protocol, "NOT_FOUND"),
    timed: await readMetric(server.opsUrl, histogram),
  };
  for (const id of [account_token, "nobody", account_token]) await way.listPools(server.port, id);
  await expect.poll(() => count(LIST, way.protocol, "OK")).toBe(before.ok + 2);
  expect(await count(LIST, way.protocol, "NOT_FOUND")).toBe(before.missing + 1);
  expect(await readMetric(server.opsUrl, histogram)).toBe(before.timed + 3);
});

test("counts undecodable requests for their method", async () => {
  await callConnect(server.url, CREATE, { nothing: 1 });
  const target = "/call_tracking/accounts";
  const headers = { "content-type": "application/json" };
  await sendHttp("HTTP/1.1", server.port, { method: "POST", target, headers, body: "{" });
  await expect.poll(() => count(CREATE, "connect", "INVALID_ARGUMENT")).toBe(1);
  expect(await count(CREATE, "json", "INVALID_ARGUMENT")).toBe(1);
  const garbage = { method: "POST", target: `/${CREATE}`, body: Buffer.from([0, 0, 0, 0, 2, 0x0a, 0xff]) };
  await sendHttp("HTTP/1.1", server.port, { ...garbage, headers: { "content-type": "application/grpc-web+proto" } });
  await expect.poll(() => count(CREATE, "grpc-web", "INVALID_ARGUMENT")).toBe(1);
});

test("counts a bidirectional stream over HTTP/1.1 as UNIMPLEMENTED", async () => {
  const target = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
  const headers = { "content-type": "application/grpc" };
  const answer = await sendHttp("HTTP/1.1", server.port, { method: "POST", target, headers, body: Buffer.alloc(5) });
  expect(answer.status).toBe(505);
  await expect.poll(() => count("other", "grpc", "UNIMPLEMENTED")).toBe(1);
});

test("counts an RPC that is rejected before it is handled, with the code that was sent", async () => {
  const headers = { "content-type": "application/grpc" };
  await sendHttp("HTTP/2", server.port, { method: "POST", target: `/${LIST}?${"x".repeat(10_000)}`, headers });
  await expect.poll(() => count("other", "grpc", "INVALID_ARGUMENT")).toBe(1);
  expect(await count("other", "grpc", "UNKNOWN")).toBe(0);
});

test("counts all requests that call no method under one label", async () => {
  const before = await count("other", "json", "NOT_FOUND");
  for (const target of ["/a", "/b/c", "/call_tracking/nothing"]) {
    await sendHttp("HTTP/1.1", server.port, { target });
  }
  await expect.poll(() => count("other", "json", "NOT_FOUND")).toBe(before + 3);
});

test("counts in-flight requests, and counts those whose client disconnects as CANCELLED", async () => {
  const inFlight = () => readMetric(server.opsUrl, "calltrack_requests_in_flight");
  await expect.poll(inFlight).toBe(0);
  const begun = await beginRequest(server.port);
  const session = connect(server.url);
  const headers = { ":method": "POST", ":path": `/${LIST}`, "content-type": "application/grpc", te: "trailers" };
  const stream = session.request(headers, { endStream: false });
  await expect.poll(inFlight).toBe(2);
  begun.abandon();
  stream.close(8);
  await expect.poll(inFlight).toBe(1);
  expect(await count(CREATE, "json", "CANCELLED")).toBe(1);
  expect(await count(LIST, "grpc", "CANCELLED")).toBe(1);
  session.close();
});
