import { generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { afterAll, expect, test } from "vitest";
import { readConfig } from "../config/config.js";
import { sendHttp } from "../testing/http-request.js";
import { createJsonClient } from "../testing/json-client.js";
import { type Deviation, newPbx, newTwilio } from "../testing/phone-system-client.js";
import { signLikeTelnyx } from "../testing/provider-requests.js";
import { readMetric } from "../testing/read-metric.js";
import { uniqueNumber, uniqueToken } from "../testing/request-fields.js";
import { createTestLog } from "../testing/test-log.js";
import { startTestServer } from "../testing/test-server.js";
import { addNumbers } from "../testing/tracked-pool.js";

const { log, lines } = createTestLog();
const server = await startTestServer("postgres", { basePath: "/base", parts: { log } });
const url = `${server.url}/base`;
const api = createJsonClient(url);
afterAll(async () => {
  api.close();
  await server.stop();
});

const ring = () => ({ CallSid: uniqueToken("CA"), From: uniqueNumber(), To: uniqueNumber() });

test.each<[string, Deviation]>([
  ["without a signature", { headers: { "x-twilio-signature": "" } }],
  ["with another token", { token: "0".repeat(32) }],
  ["with a tampered field", { signedForm: { From: "+15550009999" } }],
  ["with another URL", { signedUrl: "https://calls.example/telephony/other/voice" }],
  ["with the URL behind the proxy", { signedUrl: "http://127.0.0.1:8080/telephony/voice" }],
  ["with a shared key", { headers: { "x-twilio-webhooks-signature-settings": "keyid=1" } }],
])("rejects a request %s, and reads and writes nothing for it", async (_, deviation) => {
  const phoneSystem = await newTwilio(api, url);
  expect((await phoneSystem.send("voice", ring())).status).toBe(200);
  const answer = await phoneSystem.send("voice", ring(), deviation);
  expect(answer).toMatchObject({ status: 403, text: expect.stringContaining("is not authentic") });
  const count = (metric: string) => readMetric(server.opsUrl, metric);
  expect(await count(`calltrack_webhooks_rejected_total{phone_system="${phoneSystem.id}"}`)).toBe(1);
  expect(
    await count(`calltrack_routed_calls_total{phone_system="${phoneSystem.id}",by="fallback",caller="number"}`),
  ).toBe(1);
});

test("accepts the standard port, and the fragment with Twilio's settings, in the signed URL", async () => {
  const phoneSystem = await newTwilio(api, url);
  const path = `/telephony/${phoneSystem.id}/voice`;
  for (const signedUrl of [`https://calls.example:443${path}`, `https://calls.example${path}#rc=3&rp=ct,rt,5xx`]) {
    expect((await phoneSystem.send("voice", ring(), { signedUrl })).status).toBe(200);
  }
});

test.each<[string, (index: number) => Record<string, string>, page?: string]>([
  ["calls to unknown numbers", () => ring()],
  ["calls without an id", () => ({ From: uniqueNumber(), To: uniqueNumber() })],
  ["calls without a number", () => ({ CallSid: uniqueToken("CA"), From: uniqueNumber() })],
  ["callers that cannot be read", (index) => ({ ...ring(), From: `client:${index}` })],
  ["ends of calls to unknown numbers", () => ({ ...ring(), CallStatus: "completed" }), "status"],
])("%s fill the log with ten lines a minute at most", async (_, formOf, page = "voice") => {
  const phoneSystem = await newTwilio(api, url);
  const before = lines.length;
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => (await phoneSystem.send(page, formOf(index))).status),
  );
  expect(new Set(statuses)).toEqual(new Set([page === "voice" ? 200 : 204]));
  const seen = lines.slice(before).filter(({ level }) => level !== "debug");
  const messages = Map.groupBy(seen, ({ msg }) => msg);
  expect(
    [...messages.values()].every((each) => each.length <= 10),
    JSON.stringify([...messages.keys()]),
  ).toBe(true);
  expect(seen.length).toBeGreaterThan(0);
});

test("rejects a form with more fields than any phone system sends", async () => {
  const phoneSystem = await newTwilio(api, url);
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, ""]));
  expect((await phoneSystem.send("voice", { ...ring(), ...fields(900) })).status).toBe(200);
  expect((await phoneSystem.send("voice", { ...ring(), ...fields(1000) })).status).toBe(403);
});

test("rejects another account, an unknown and a disabled phone system", async () => {
  const phoneSystem = await newTwilio(api, url);
  const other = { ...ring(), AccountSid: `AC${"0".repeat(32)}` };
  expect((await phoneSystem.send("voice", other)).status).toBe(403);
  const unknown = `https://calls.example/telephony/${phoneSystem.id.replace(/^.{8}/, "00000000")}/voice`;
  expect((await phoneSystem.send(unknown, ring())).status).toBe(403);
  await api.updatePhoneSystem({ phone_system_id: phoneSystem.id, is_active: false });
  const status = async () => (await phoneSystem.send("voice", ring())).status;
  await expect.poll(status).toBe(403);
});

test("accepts an account SID whose digits were entered in uppercase", async () => {
  const phoneSystem = await newTwilio(api, url, { account_sid: `AC${"AB".repeat(16)}` });
  expect((await phoneSystem.send("voice", { ...ring(), AccountSid: `AC${"ab".repeat(16)}` })).status).toBe(200);
});

test("accepts rotated credentials at once, and the earlier ones during the overlap", async () => {
  const pbx = await newPbx(api, url);
  const form = { call_id: "1", to: "+12125550100" };
  expect((await pbx.send("voice", form)).status).toBe(200);
  const rotate = async (overlap_seconds: number) =>
    (await api.rotatePhoneSystemCredentials({ phone_system_id: pbx.id, overlap_seconds })).api_key as string;
  const second = await rotate(60);
  await expect.poll(async () => (await pbx.send("voice", form, { token: second })).status).toBe(200);
  expect((await pbx.send("voice", form)).status).toBe(200);
  const third = await rotate(0);
  await expect.poll(async () => (await pbx.send("voice", form, { token: third })).status).toBe(200);
  expect((await pbx.send("voice", form)).status).toBe(403);
  expect((await pbx.send("voice", form, { token: second })).status).toBe(403);
});

test("logs one line for each reason and phone system, and none for unknown ids", async () => {
  const [one, other] = [await newTwilio(api, url), await newTwilio(api, url)];
  const unsupported = { headers: { "x-twilio-webhooks-signature-settings": "keyid=1" } };
  const unknown = randomUUID();
  for (let count = 0; count < 3; count++) {
    await one.send("voice", ring(), unsupported);
    await one.send("status", ring(), { token: "0" });
    await other.send("voice", ring(), unsupported);
    await one.send(`https://calls.example/telephony/${unknown}/voice`, ring());
  }
  const reasonsOf = (id: string) => lines.filter((line) => line.phone_system === id).map(({ reason }) => reason);
  const sharedKey = expect.stringContaining("a shared key that is not stored");
  expect(reasonsOf(one.id)).toEqual([sharedKey, expect.stringContaining("are wrong")]);
  expect(reasonsOf(other.id)).toEqual([sharedKey]);
  expect(reasonsOf(unknown)).toEqual([]);
  const rejected = `calltrack_webhooks_rejected_total{phone_system="${one.id}"}`;
  expect(await readMetric(server.opsUrl, rejected)).toBe(6);
});

test("looks up new and changed phone systems while many unknown ids are looked up", async () => {
  const fields = { kind: "sip", name: "PBX", fallback_number: uniqueNumber() };
  const create = () => api.createPhoneSystem(fields);
  const [known, added] = [await create(), await create()];
  const client = connect(server.url);
  const send = (id: string, key = "none") => sendWebhook(client, `/base/telephony/${id}/voice`, key);
  // The client writes all requests of one event loop turn together, so that the server looks up all their ids at once.
  const flood = () => Array.from({ length: 64 }, () => send(randomUUID()));
  expect(await send(known.phone_system.id, known.api_key)).toBe(200);
  const rotation = { phone_system_id: known.phone_system.id, overlap_seconds: 0 };
  const { api_key: rotated } = await api.rotatePhoneSystemCredentials(rotation);
  const unknown = flood();
  expect(await send(added.phone_system.id, added.api_key)).toBe(200);
  expect(new Set(await Promise.all(unknown))).toEqual(new Set([403]));
  // Sends new requests in each attempt, because the server does not repeat a lookup within `RECHECK_MS`.
  const sendRotated = () => Promise.all([...flood(), send(known.phone_system.id, rotated)]);
  await expect.poll(async () => (await sendRotated()).at(-1)).toBe(200);
  client.close();
});

/** Sends a request as a PBX, and returns the status of the response. */
async function sendWebhook(client: ClientHttp2Session, path: string, key: string): Promise<number> {
  const stream = client.request({ ":method": "POST", ":path": path, ...FORM, authorization: `Bearer ${key}` });
  stream.resume().end("call_id=1&to=%2B12125550100");
  const [headers] = await once(stream, "response");
  return headers[":status"];
}

/**
 * Creates two phone systems of the kind `telnyx`. Returns a function that sends a request to a webhook of either phone system. That function returns
 * the status of the response.
 */
async function newTelnyx() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const secret = Buffer.from(publicKey.export({ format: "jwk" }).x as string, "base64url").toString("base64");
  const create = async () => {
    const fields = { name: "Telnyx", kind: "telnyx", secret, fallback_number: uniqueNumber() };
    return (await api.createPhoneSystem(fields)).phone_system.id;
  };
  const [id, otherId] = [await create(), await create()];
  return async (page: string, body: string, signedAt: Date, system = id) => {
    const headers = { ...FORM, ...signLikeTelnyx(privateKey, body, signedAt) };
    return (
      await fetch(`${url}/telephony/${system === "other" ? otherId : system}/${page}`, {
        method: "POST",
        headers,
        body,
      })
    ).status;
  };
}

test("rejects a stale signature from Telnyx", async () => {
  const send = await newTelnyx();
  const body = new URLSearchParams(ring()).toString();
  const statuses = [0, 240, 302].map((age) => send("voice", body, new Date(Date.now() - age * 1000)));
  expect(await Promise.all(statuses)).toEqual([200, 200, 403]);
});

test("accepts a repeated signature from Telnyx only for the same URL, because it does not cover the URL", async () => {
  const send = await newTelnyx();
  const body = new URLSearchParams({ ...ring(), CallStatus: "completed" }).toString();
  const now = new Date();
  expect(await send("status", body, now)).toBe(204);
  for (const page of ["voice", "dial", "recording", "status?call=x"]) expect(await send(page, body, now)).toBe(403);
  expect(await send("status", body, now, "other")).toBe(403);
  expect(await send("status", body, now)).toBe(204);
  expect(await send("voice", body, new Date(now.getTime() - 2000))).toBe(200);
  const otherBody = new URLSearchParams({ ...ring(), CallStatus: "completed" }).toString();
  expect(await send("voice", otherBody, now)).toBe(200);
});

const FORM = { "content-type": "application/x-www-form-urlencoded" };

test.each([
  ["GET", "voice", {}, "", 405],
  ["PUT", "voice", FORM, "a=b", 405],
  ["POST", "voice", { "content-type": "application/json" }, "{}", 415],
  ["POST", "voice", { ...FORM, "content-encoding": "gzip" }, "a=b", 415],
  ["POST", "voice", FORM, "a".repeat(1024 * 1024), 413],
  ["POST", "voices", FORM, "a=b", 404],
  ["POST", "voice/", FORM, "a=b", 404],
] as const)("%s %s with %o is an error", async (method, page, headers, body, status) => {
  const { id } = await newTwilio(api, url);
  const target = `/base/telephony/${id}/${page}`;
  for (const version of ["HTTP/1.1", "HTTP/2"] as const) {
    const answer = await sendHttp(version, server.port, { method, target, headers, ...(body !== "" && { body }) });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ error: { message: expect.any(String) } });
  }
});

test("answers 503 without PUBLIC_URL, and names the setting", async () => {
  const without = await startTestServer("embedded", { publicUrl: undefined });
  const target = "/telephony/019aa360-2b3c-7d4e-9f50-617283940a1b/voice";
  const answer = await sendHttp("HTTP/1.1", without.port, { method: "POST", target, headers: FORM, body: "a=b" });
  expect(answer).toMatchObject({ status: 503, text: expect.stringContaining("set PUBLIC_URL") });
  await without.stop();
});

test("answers cross-site requests, even while the concurrency limit is reached", async () => {
  const { limits } = readConfig({ MAX_REQUESTS: "1" });
  const full = await startTestServer("postgres", { limits, parts: { pages: new Map([["/hanging", () => {}]]) } });
  const other = createJsonClient(full.url);
  const phoneSystem = await newTwilio(other, full.url);
  await addNumbers(other, "0123", 1);
  const abort = new AbortController();
  const hanging = fetch(`${full.url}/hanging`, { signal: abort.signal }).catch(() => {});
  await expect.poll(async () => (await fetch(full.url)).status).toBe(503);
  const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect((await phoneSystem.send("voice", ring(), { headers })).status).toBe(200);
  abort.abort();
  await hanging;
  other.close();
  await full.stop();
});
