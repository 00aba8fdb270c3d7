import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { createJsonClient } from "../../testing/json-client.js";
import { createTwilioClient, listAttributeValues, newTwilio } from "../../testing/phone-system-client.js";
import { createProxiedDatabase } from "../../testing/proxied-database.js";
import { readMetric } from "../../testing/read-metric.js";
import { newAccount, uniqueNumber, uniqueToken } from "../../testing/request-fields.js";
import { startListeningProcess, startServerProcess } from "../../testing/server-process.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { serveDatabase } from "../../testing/test-server.js";
import { trackNumber } from "../../testing/track-number.js";
import { newTrackedPool } from "../../testing/tracked-pool.js";
import { waitForReports } from "../../testing/wait-for-reports.js";

const FOLDER = createFolder();

/** How database faults begin and end. */
const FAULTS = {
  "does not respond": ["hold", "release"],
  "refuses connections": ["close", "open"],
} as const;

describe.each(["keep", "hash"] as const)("with CALLER_NUMBERS=%s", (callerNumbers) => {
  test.each(Object.entries(FAULTS))(
    "while the database %s, calls ring, and are recorded later",
    async (_, [begin, end]) => {
      const { url, proxy } = await createProxiedDatabase();
      const dataDirectory = join(FOLDER, uniqueToken());
      const server = await serveDatabase({ kind: "postgres", url: url.href }, { callerNumbers, dataDirectory });
      const api = createJsonClient(server.url);
      const phoneSystem = await newTwilio(api, server.url);
      const { trackers, originalNumber, account } = await newTrackedPool(
        { api, server },
        { pool_type: "manual", size: 2 },
      );
      const [known, other] = trackers.map(({ tracking_number }) => tracking_number) as [string, string];
      const ring = (To: string) => ({ CallSid: uniqueToken("CA"), From: uniqueNumber(), To, CallStatus: "ringing" });
      await phoneSystem.send("voice", ring(known));
      const forgotten = await phoneSystem.send("voice", { ...ring(known), CallSid: "CAforgotten" });
      await proxy[begin]();

      const first = ring(known);
      const voice = await phoneSystem.send("voice", first);
      expect(voice).toMatchObject({ status: 200, text: expect.stringContaining(`>${originalNumber}</Number>`) });
      const result = { ...first, DialCallStatus: "completed", DialCallDuration: "5", CallStatus: "in-progress" };
      const [dial = ""] = listAttributeValues(voice.text, "action");
      const [earlier = ""] = listAttributeValues(forgotten.text, "action");
      expect(await phoneSystem.send(dial, result)).toMatchObject({ status: 200 });
      const noAnswer = { ...result, CallSid: "CAforgotten", DialCallStatus: "no-answer" };
      expect(await phoneSystem.send(earlier, noAnswer)).toMatchObject({ status: 200 });
      const uncached = await phoneSystem.send("voice", ring(other));
      expect(uncached.text).toContain(`>${phoneSystem.fallbackNumber}</Number>`);
      const stolen = await phoneSystem.send("voice", ring(known), { token: "0" });
      expect(stolen.status).toBe(403);
      const loop = await phoneSystem.send("voice", { ...ring(known), From: known });
      expect(loop.text).toContain("<Reject");
      const redirected = await phoneSystem.send("voice", { ...ring(known), ForwardedFrom: known });
      expect(redirected.text).toContain(`>${originalNumber}</Number>`);
      expect(await readMetric(server.opsUrl, "calltrack_journal_entries")).toBe(6);
      const files = await readdir(join(dataDirectory, "telephony"), { recursive: true });
      const texts = await Promise.all(
        files.map((file) => readFile(join(dataDirectory, "telephony", file), "latin1").catch(() => "")),
      );
      expect(texts.join("")).toContain("CAforgotten");
      expect(texts.join("").includes(first.From)).toBe(callerNumbers === "keep");

      await proxy[end]();
      const listCalls = async () => (await api.listCalls({ account_id: account.account_token })).entries;
      const outcomes = async () => (await listCalls()).map(({ outcome }) => outcome).sort();
      const expected = ["answered", "failed", "in_progress", "in_progress", "in_progress", "missed"];
      await expect.poll(() => outcomes().catch(() => [])).toEqual(expected);
      const recorded = (await listCalls()).find(({ call_id }) => call_id === first.CallSid);
      expect(recorded).toMatchObject({ outcome: "answered", is_first_call: true });
      const reasons = (await listCalls()).map(({ reject_reason }) => reject_reason);
      expect(reasons.filter((reason) => reason !== null)).toEqual(["LOOP"]);
      expect(recorded?.caller_number === null).toBe(callerNumbers === "hash");
      const { rows } = await sql`select from calls where caller_key is null`.execute(server.database.kysely);
      expect(rows.length).toBe(0);
      await expect.poll(() => readMetric(server.opsUrl, "calltrack_journal_entries")).toBe(0);
      api.close();
      await server.stop();
      await proxy.close();
    },
  );
});

test("a report that neither the database nor the disk can store is answered with 503, so that it is sent again", async () => {
  const { url, proxy } = await createProxiedDatabase();
  const dataDirectory = join(FOLDER, uniqueToken());
  const server = await serveDatabase({ kind: "postgres", url: url.href }, { dataDirectory });
  const api = createJsonClient(server.url);
  const phoneSystem = await newTwilio(api, server.url);
  const { trackers, account } = await newTrackedPool({ api, server }, { pool_type: "manual", size: 1 });
  const To = trackers[0]?.tracking_number as string;
  const ring = { CallSid: uniqueToken("CA"), From: uniqueNumber(), To, CallStatus: "ringing" };
  const voice = await phoneSystem.send("voice", ring);
  const [dial = ""] = listAttributeValues(voice.text, "action");
  const folder = join(dataDirectory, "telephony");
  await rename(folder, `${folder}.away`);
  await writeFile(folder, "");
  proxy.hold();

  const result = { ...ring, DialCallStatus: "completed", DialCallDuration: "5", CallStatus: "in-progress" };
  // A call cannot go on without the response to a dial.
  expect(await phoneSystem.send(dial, result)).toMatchObject({ status: 200 });
  const end = { ...ring, CallStatus: "completed", CallDuration: "7" };
  expect(await phoneSystem.send("status", end)).toMatchObject({
    status: 503,
    text: "the report could not be stored in time: send it again\n",
  });
  await rm(folder);
  await rename(`${folder}.away`, folder);
  await expect.poll(async () => (await phoneSystem.send("status", end)).status).toBe(204);

  proxy.release();
  const listCalls = async () => (await api.listCalls({ account_id: account.account_token })).entries;
  await expect
    .poll(() => listCalls().catch(() => []))
    .toMatchObject([{ call_id: ring.CallSid, outcome: "answered", ended_at: expect.any(String) }]);
  api.close();
  await server.stop();
  await proxy.close();
});

test("two servers on one database record a call once, even if later requests go to the other server", async () => {
  const location = await createTestDatabase("postgres");
  const [one, other] = [await serveDatabase(location), await serveDatabase(location)];
  const api = createJsonClient(one.url);
  const phoneSystem = await newTwilio(api, one.url);
  const pool = await newTrackedPool({ api, server: one }, { pool_type: "manual", size: 1 });
  const ring = { CallSid: uniqueToken("CA"), From: uniqueNumber(), To: pool.trackers[0]?.tracking_number as string };
  // Waits until both servers have cached the route. A server without the route rings the fallback number and records nothing if the database is slow.
  for (const { url } of [one, other]) {
    const earlier = { ...ring, CallSid: uniqueToken("CA"), From: uniqueNumber() };
    await expect
      .poll(async () => listAttributeValues((await phoneSystem.send("voice", earlier, {}, url)).text, "action"))
      .toHaveLength(1);
  }
  const servers = [one.url, other.url, one.url, other.url];
  const answers = await Promise.all(servers.map((url) => phoneSystem.send("voice", ring, {}, url)));
  const [dial = ""] = listAttributeValues(answers[0]?.text ?? "", "action");
  const result = { ...ring, DialCallStatus: "busy", CallStatus: "in-progress" };
  await Promise.all(servers.map((url) => phoneSystem.send(dial, result, {}, url)));
  for (const server of [one, other]) await waitForReports(server);
  const { entries } = await api.listCalls({ account_id: pool.account.account_token });
  expect(entries.filter(({ call_id }) => call_id === ring.CallSid)).toMatchObject([
    { outcome: "busy", is_first_call: true },
  ]);
  api.close();
  for (const server of [one, other]) await server.stop();
});

test("a server that starts without its database routes calls by its last known routes, and a killed one loses no call", async () => {
  const { proxy, ...location } = await createProxiedDatabase();
  const environment = {
    ...location.environment,
    ...{ DATA_DIR: join(FOLDER, "process"), PUBLIC_URL: "https://calls.example", PASS_INTERVAL: "1s" },
  };
  const server = await startServerProcess(environment);
  const api = createJsonClient(server.url);
  const secret = { account_sid: `AC${"0".repeat(32)}`, secret: "s".repeat(32) };
  const { id, fallbackNumber } = await newTwilio(api, server.url, secret);
  const [account, originalNumber] = [await newAccount(api), uniqueNumber()];
  const To = await trackNumber(api, account, originalNumber);
  const targets = [{ original: true }, { phone_number: uniqueNumber() }, { phone_number: uniqueNumber() }];
  const settings = { steps: [{ order: "shared", targets }] };
  await api.updateDefaultCallFlow({ account_id: account.account_token, settings });
  const clientOf = (address: string) => createTwilioClient(id, { server: address, fallbackNumber, ...secret });
  const ring = () => ({ CallSid: uniqueToken("CA"), From: uniqueNumber(), To });
  /** Returns the numbers that a call rings one after the other if the server at this address routes the call. */
  const askFor = async (address: string, call: ReturnType<typeof ring>) => {
    const numbers: string[] = [];
    for (let { text } = await clientOf(address).send("voice", call); text.includes("<Dial"); ) {
      numbers.push(/>(\+\d+)<\/Number>/.exec(text)?.[1] ?? "");
      const noAnswer = { ...call, DialCallStatus: "no-answer", CallStatus: "in-progress" };
      text = (await clientOf(address).send(listAttributeValues(text, "action")[0] ?? "", noAnswer)).text;
    }
    return numbers;
  };
  let first = ring();
  let numbers: string[] = [];
  let rings = 0;
  // Calls again until all numbers ring. While the first lookups take longer than a phone system waits, only the fallback number rings.
  const ringAndAsk = async () => {
    rings++;
    first = ring();
    numbers = await askFor(server.url, first);
    return numbers.toSorted();
  };
  const all = [originalNumber, ...targets.flatMap((target) => target.phone_number ?? [])];
  await expect.poll(ringAndAsk).toEqual(all.sort());
  await server.stop();
  await proxy.close();

  const alone = await startListeningProcess(environment);
  expect(await askFor(alone.url, first)).toEqual(numbers);
  const second = ring();
  const numbersOfSecond = await askFor(alone.url, second);
  await alone.stop("SIGKILL");
  await proxy.open();
  await using again = await startServerProcess(environment);
  expect(await askFor(again.url, first)).toEqual(numbers);
  expect(await askFor(again.url, second)).toEqual(numbersOfSecond);
  const later = createJsonClient(again.url);
  const listCalls = async () => (await later.listCalls({ account_id: account.account_token })).entries;
  await expect.poll(async () => (await listCalls()).length).toBe(rings + 1);
  for (const client of [api, later]) client.close();
  await again.stop();
  await proxy.close();
});
