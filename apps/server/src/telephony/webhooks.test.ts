import { sql } from "kysely";
import { expect, test } from "vitest";
import type { CallJson, RequestFields } from "../testing/api-client.js";
import { describeBehavior, describeOnEngines, type Service } from "../testing/behavior.js";
import {
  type Form,
  listAttributeValues,
  newPbx,
  newTwilio,
  type PhoneSystemClient,
} from "../testing/phone-system-client.js";
import { readMetric } from "../testing/read-metric.js";
import { uniqueNumber, uniqueToken } from "../testing/request-fields.js";
import { newTrackedPool, type TrackedPool } from "../testing/tracked-pool.js";
import { waitForReports } from "../testing/wait-for-reports.js";
import { deriveCallId } from "./report/call-reference.js";

const CHILD = "CAchild";

/** Requests about a call after the voice request: the webhook and the relevant fields. */
const REQUESTS = {
  ringing: ["status", { CallStatus: "ringing", SequenceNumber: "0" }],
  answered: ["status", { CallStatus: "in-progress", SequenceNumber: "1" }],
  completed: ["status", { CallStatus: "completed", SequenceNumber: "2" }],
  unanswered: ["status", { CallStatus: "no-answer", SequenceNumber: "2" }],
  dialCompleted: ["dial", { DialCallStatus: "completed", DialCallDuration: "60", CallStatus: "in-progress" }],
  dialNoAnswer: ["dial", { DialCallStatus: "no-answer", CallStatus: "in-progress" }],
  dialBusy: ["dial", { DialCallStatus: "busy", CallStatus: "in-progress" }],
  dialFailed: ["dial", { DialCallStatus: "failed", CallStatus: "in-progress" }],
  dialDeclined: ["dial", { DialCallStatus: "completed", DialBridged: "false", CallStatus: "in-progress" }],
  dialCanceled: ["dial", { DialCallStatus: "canceled", CallStatus: "completed" }],
  callerGone: ["caller", { CallStatus: "completed", CallDuration: "70" }],
  callerCanceled: ["caller", { CallStatus: "no-answer" }],
} as const;

type RequestName = keyof typeof REQUESTS;

/** The title of each call, the reports about the call, and its expected fields after all reports have arrived in any order. */
const CALLS: readonly (readonly [string, readonly RequestName[], Partial<CallJson>])[] = [
  ["is answered", ["answered", "completed", "dialCompleted", "callerGone"], answered("dial_result")],
  ["rings out", ["ringing", "unanswered", "dialNoAnswer", "callerGone"], missed("dial_result")],
  ["is busy", ["dialBusy", "callerGone"], { ...missed("dial_result"), outcome: "busy" }],
  ["fails", ["dialFailed", "callerGone"], { ...missed("dial_result"), outcome: "failed" }],
  ["is hung up in the prompt", ["callerGone"], { ...missed("caller_leg"), outcome: "abandoned" }],
  [
    "is canceled by the caller",
    ["unanswered", "dialCanceled", "callerCanceled"],
    { ...missed("dial_result"), outcome: "abandoned" },
  ],
  ["is hung up in the whisper", ["answered", "completed", "dialDeclined", "callerGone"], missed("dial_result")],
  ["has no dial result", ["answered", "completed", "callerGone"], answered("dialed_leg")],
  ["has contradicting reports", ["completed", "dialNoAnswer", "callerGone"], missed("dial_result")],
];

function answered(outcome_basis: string): Partial<CallJson> {
  return {
    ...{ outcome: "answered", outcome_basis, answered_at: expect.any(String), duration_seconds: expect.any(Number) },
    answered_by: expect.any(String),
  };
}

function missed(outcome_basis: string): Partial<CallJson> {
  return {
    ...{ outcome: "missed", outcome_basis, answered_at: null, ended_at: expect.any(String), duration_seconds: 0 },
    answered_by: null,
  };
}

function uniqueNumbers(count: number): readonly string[] {
  return Array.from({ length: count }, uniqueNumber);
}

/** Creates the helpers that the suites share. */
function createTools(service: Service) {
  const api = () => service.clients.json;
  const kysely = () => service.server.database.kysely;
  const twilio = (fields?: RequestFields) => newTwilio(api(), service.server.url, fields);

  async function newNumber(fields: RequestFields = {}) {
    const parts = { api: api(), server: service.server };
    const pool = await newTrackedPool(parts, { visits: { "google / cpc": 1000 }, is_prompted: false, ...fields });
    const number = pool.trackers.find(({ source }) => source === "google")?.tracking_number as string;
    return { ...pool, number };
  }

  async function callsOf(
    { account }: Pick<TrackedPool, "account">,
    filter: RequestFields = {},
  ): Promise<readonly CallJson[]> {
    await waitForReports(service.server);
    return (await api().listCalls({ account_id: account.account_token, ...filter })).entries;
  }

  /** Sends the voice request of a call, and returns a function that sends later requests to the URLs in the response. */
  async function startCall(phoneSystem: PhoneSystemClient, number: string, fields: Form = {}) {
    const CallSid = uniqueToken("CA");
    const ring = { CallSid, CallStatus: "ringing", Direction: "inbound", From: uniqueNumber(), To: number, ...fields };
    const voice = await phoneSystem.send("voice", ring);
    const [dial = ""] = listAttributeValues(voice.text, "action");
    const [status = ""] = listAttributeValues(voice.text, "statusCallback");
    const [recording = ""] = listAttributeValues(voice.text, "recordingStatusCallback");
    const [whisper = ""] = listAttributeValues(voice.text, "url");
    const child = { CallSid: CHILD, ParentCallSid: CallSid, From: ring.From, To: "x" };
    const send = (name: RequestName) => {
      const [page, reported] = REQUESTS[name];
      if (page === "dial") return phoneSystem.send(dial, { ...ring, ...reported });
      if (page === "caller") return phoneSystem.send("status", { ...ring, ...reported });
      return phoneSystem.send(status, { ...child, ...reported });
    };
    return { voice, ring, send, urls: { dial, status, recording, whisper } };
  }

  return { api, kysely, twilio, newNumber, callsOf, startCall };
}

// Tests concurrent requests, failed statements in a batch, and a complete call. The other tests need only one engine, because their statements are
// the same on every engine.
describeOnEngines("webhooks on each engine", (service) => {
  const { api, kysely, twilio, newNumber, callsOf, startCall } = createTools(service);

  test("a call is recorded once if its requests arrive several times at the same moment", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber()];
    const ring = { CallSid: uniqueToken("CA"), From: uniqueNumber(), To: pool.number };
    const answers = await Promise.all([1, 2, 3].map(() => phoneSystem.send("voice", ring)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [action = ""] = listAttributeValues(answers[2]?.text ?? "", "action");
    const end = { ...ring, DialCallStatus: "completed", DialCallDuration: "0", CallStatus: "in-progress" };
    await Promise.all([1, 2, 3, 4].map(() => phoneSystem.send(action, end)));
    expect(await callsOf(pool)).toMatchObject([{ outcome: "answered", phone_system_id: phoneSystem.id }]);
  });

  test("overdue calls are closed, even if one of them cannot be closed", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber()];
    const broken = await startCall(phoneSystem, pool.number);
    const { ring } = await startCall(phoneSystem, pool.number);
    const overdue = kysely().updateTable("calls").where("account_id", "=", pool.account.id);
    await overdue.set({ started_at: new Date(Date.now() - 5 * 3_600_000) }).execute();
    const evidence = JSON.stringify({ callerLeg: { endedAt: "never" } });
    const started_at = new Date(Date.now() - 6 * 3_600_000);
    await overdue.set({ started_at, evidence }).where("call_id", "=", broken.ring.CallSid).execute();
    await service.server.closeOverdueCalls();
    const closed = (await callsOf(pool)).filter(({ outcome }) => outcome !== "in_progress");
    const unknown = { outcome: "unknown", outcome_basis: "timer", ended_at: null, duration_seconds: null };
    expect(closed).toMatchObject([{ call_id: ring.CallSid, ...unknown }]);
    // An earlier version of the server stored an assumed outcome and end for a call that the timer closed.
    const byEarlier = { outcome: "missed", outcome_detail: null, ended_at: new Date(), duration_seconds: 0 } as const;
    await overdue.set({ ...byEarlier, evidence: "{}" }).execute();
    await overdue.set({ outcome_basis: "timer" }).execute();
    await service.server.closeOverdueCalls();
    expect(await callsOf(pool)).toMatchObject([unknown, unknown]);
  });

  test("a PBX routes, reports and records", async () => {
    const [pbx, pool] = [await newPbx(api(), service.server.url), await newNumber({ is_recorded: true })];
    const call_id = uniqueToken("call");
    const ring = {
      call_id,
      to: `<sip:${pool.number}@pbx.example>`,
      from: "anonymous",
      asserted_identity: "+12125550123",
    };
    const voice = await pbx.send("voice", ring);
    const answer = JSON.parse(voice.text);
    expect(answer).toMatchObject({ action: "dial", destination: pool.originalNumber, caller_id: "+12125550123" });
    const { report } = answer;
    expect((await pbx.send("dial", ring)).status).toBe(404);
    expect((await pbx.send("status", { call_id, report, event: "answered", step: "original" })).status).toBe(204);
    const recording = { call_id, report, recording_id: "1", recording_url: "https://pbx.example/1.wav" };
    expect((await pbx.send("recording", recording)).status).toBe(204);
    expect(
      (await pbx.send("status", { call_id, report, event: "ended", step: "original", dial_status: "ANSWER" })).status,
    ).toBe(204);
    const ended = { outcome: "answered", recording_url: "https://pbx.example/1.wav", caller_number: "+12125550123" };
    expect(await callsOf(pool)).toMatchObject([ended]);
    expect((await pbx.send("status", { call_id: "2", report, event: "ended" })).status).toBe(400);
    const answered: readonly Form[] = [
      { sip_status: "200", answered_at: new Date().toISOString() },
      { answered_at: new Date().toISOString(), step: "primary" },
      { dial_status: "ANSWER" },
      { sip_status: "202" },
    ];
    for (const fields of answered) {
      const refused = await pbx.send("status", { call_id, report, event: "ended", ...fields });
      expect(refused).toMatchObject({
        status: 400,
        text: expect.stringContaining("lacks the field step: send step=original"),
      });
    }
    for (const ring of ["9999999999999", "0000000000001"]) {
      const id = uniqueToken("call");
      const tampered = `account=0&call=${deriveCallId(pbx.id, id)}&ring=${ring}&number=${pool.number.slice(1)}`;
      const end = { event: "ended", step: "original", sip_status: "200", to: pool.number };
      expect((await pbx.send("status", { ...end, call_id: id, report: tampered })).status).toBe(204);
      const call = (await callsOf(pool)).find((each) => each.call_id === id);
      expect(call?.started_at).toEqual(expect.not.stringMatching(/^(?:2286|1970)/));
    }
    expect((await pbx.send("status", { call_id: "2", event: "ended" })).status).toBe(400);
    await pbx.send("status", { ...ring, call_id: "3", event: "ended", step: "original", sip_status: "486" });
    expect((await callsOf(pool))[0]).toMatchObject({ call_id: "3", outcome: "busy", caller_number: "+12125550123" });
  });
});

describeBehavior("webhooks", (service) => {
  const { api, kysely, twilio, newNumber, callsOf, startCall } = createTools(service);

  test.each(CALLS)("a call that %s", async (_, names, expected) => {
    const [phoneSystem, pool] = [await twilio(), await newNumber({ is_prompted: true })];
    const orders = [names, names.toReversed(), [...names, ...names], names.slice().sort()];
    for (const order of orders) {
      const { voice, ring, send } = await startCall(phoneSystem, pool.number);
      expect(voice).toMatchObject({ status: 200, type: "text/xml; charset=utf-8", cacheControl: "no-store" });
      expect(voice.text).toContain(`>${pool.originalNumber}</Number>`);
      expect((await callsOf(pool))[0]).toMatchObject({ call_id: ring.CallSid, outcome: "in_progress" });
      for (const name of order) expect((await send(name)).status, name).toBeLessThan(300);
      const [call, ...others] = (await callsOf(pool)).filter(({ call_id }) => call_id === ring.CallSid);
      expect(others).toEqual([]);
      expect(call, order.join()).toMatchObject({ ...expected, caller_number: ring.From, source: "google" });
    }
  });

  test("an unanswered call goes to the fallback number, once", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber()];
    const fallback_number = uniqueNumber();
    await api().updateCallFlow({ ...pool.name, settings: { fallback_number } });
    const { ring, send, urls } = await startCall(phoneSystem, pool.number);
    const next = await send("dialNoAnswer");
    expect(next.text).toContain(`>${fallback_number}</Number>`);
    expect((await callsOf(pool))[0]).toMatchObject({ outcome: "in_progress" });
    const [action = ""] = listAttributeValues(next.text, "action");
    expect(new URL(action).searchParams.get("step")).toBe("fallback");
    const over = await phoneSystem.send(action, { ...ring, DialCallStatus: "busy", CallStatus: "in-progress" });
    expect(over.text).toContain("<Response/>");
    const [call] = await callsOf(pool);
    expect(call).toMatchObject({ outcome: "busy", outcome_basis: "dial_result", answered_by: null });
    const gone = { ...ring, DialCallStatus: "no-answer", CallStatus: "completed" };
    expect((await phoneSystem.send(urls.dial, gone)).text).toContain("<Response/>");
  });

  test("a call says which number answered, as long as it was answered", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber()];
    const fallback_number = uniqueNumber();
    await api().updateCallFlow({ ...pool.name, settings: { fallback_number } });
    const first = await startCall(phoneSystem, pool.number);
    await first.send("answered");
    expect((await callsOf(pool))[0]).toMatchObject({ outcome: "in_progress", answered_by: pool.originalNumber });
    const running = { account_id: pool.account.account_token, id: (await callsOf(pool))[0]?.id };
    const recording_url = "https://recordings.example/1.mp3";
    expect(await api().updateCall({ ...running, recording_url })).toMatchObject({ answered_by: pool.originalNumber });
    await first.send("dialCompleted");
    expect((await callsOf(pool))[0]).toMatchObject({ outcome: "answered", answered_by: pool.originalNumber });
    const second = await startCall(phoneSystem, pool.number);
    const [action = ""] = listAttributeValues((await second.send("dialNoAnswer")).text, "action");
    // The call names the number that rang, even if the call flow has changed since.
    await api().updateCallFlow({ ...pool.name, settings: { fallback_number: uniqueNumber() } });
    await phoneSystem.send(action, { ...second.ring, DialCallStatus: "completed", CallStatus: "in-progress" });
    const [call] = await callsOf(pool);
    expect(call).toMatchObject({ outcome: "answered", answered_by: fallback_number });
    const name = { account_id: pool.account.account_token, id: call?.id };
    expect(await api().updateCall({ ...name, outcome: "voicemail" })).toMatchObject({ answered_by: null });
  });

  /** Sets the steps of a pool's call flow. */
  async function setSteps(
    { name }: TrackedPool,
    ...steps: readonly (readonly [order: string, ...numbers: string[]])[]
  ) {
    const targets = (numbers: readonly string[]) => numbers.map((phone_number) => ({ phone_number }));
    const settings = { steps: steps.map(([order, ...numbers]) => ({ order, targets: targets(numbers) })) };
    await api().updateCallFlow({ ...name, settings });
  }

  /** Returns the numbers that a TwiML response rings at once. */
  const rungBy = (text: string) => Array.from(text.matchAll(/>(\+\d+)<\/Number>/g), ([, number]) => number);

  test("numbers ring at once, and the one that answers has the call", async () => {
    const [phoneSystem, pool, [sales = "", support = ""]] = [await twilio(), await newNumber(), uniqueNumbers(2)];
    await setSteps(pool, ["at_once", sales, support], ["at_once", pool.originalNumber]);
    const { voice, ring, send } = await startCall(phoneSystem, pool.number);
    expect(rungBy(voice.text)).toEqual([sales, support]);
    const [first = "", second = ""] = listAttributeValues(voice.text, "statusCallback");
    const child = { ParentCallSid: ring.CallSid, From: ring.From, To: "x" };
    await phoneSystem.send(second, { ...child, CallSid: "CAsecond", CallStatus: "in-progress", SequenceNumber: "1" });
    expect((await callsOf(pool))[0]).toMatchObject({ outcome: "in_progress", answered_by: support });
    await phoneSystem.send(first, { ...child, CallSid: "CAfirst", CallStatus: "canceled", SequenceNumber: "1" });
    expect((await send("dialCompleted")).text).toContain("<Response/>");
    expect(await callsOf(pool)).toMatchObject([{ outcome: "answered", answered_by: support }]);
  });

  test("a voicemail that answers before the others does not take the call if a key accepts it", async () => {
    const [phoneSystem, pool, [mobile = "", office = ""]] = [await twilio(), await newNumber(), uniqueNumbers(2)];
    const targets = [{ phone_number: mobile }, { phone_number: office }];
    const settings = { steps: [{ targets }, { targets: [{ phone_number: office }] }], accept_digit: "1" };
    await api().updateCallFlow({ ...pool.name, settings });
    const { voice, ring, send } = await startCall(phoneSystem, pool.number);
    const child = { CallSid: CHILD, ParentCallSid: ring.CallSid };
    for (const url of listAttributeValues(voice.text, "url")) {
      expect((await phoneSystem.send(url, child)).text).toMatch(/<Gather .*<\/Gather><Hangup\/>/);
    }
    const [first = "", second = ""] = listAttributeValues(voice.text, "statusCallback");
    await phoneSystem.send(first, { ...child, CallStatus: "in-progress", SequenceNumber: "1" });
    await phoneSystem.send(second, { ...child, CallSid: "CAoffice", CallStatus: "canceled", SequenceNumber: "1" });
    const next = await send("dialDeclined");
    expect(rungBy(next.text)).toEqual([office]);
    const [action = ""] = listAttributeValues(next.text, "action");
    await phoneSystem.send(action, { ...ring, DialCallStatus: "no-answer", CallStatus: "in-progress" });
    expect(await callsOf(pool)).toMatchObject([{ outcome: "missed", answered_by: null, answered_at: null }]);
  });

  test("steps follow each other until somebody answers", async () => {
    const [phoneSystem, pool, [sales = "", support = "", mobile = ""]] = [
      await twilio(),
      await newNumber(),
      uniqueNumbers(3),
    ];
    await setSteps(pool, ["at_once", sales, support], ["in_turn", sales, support], ["at_once", mobile]);
    const { voice, ring } = await startCall(phoneSystem, pool.number);
    const rung = [rungBy(voice.text)];
    let { text } = voice;
    for (const DialCallStatus of ["no-answer", "busy", "failed"]) {
      const [action = ""] = listAttributeValues(text, "action");
      text = (await phoneSystem.send(action, { ...ring, DialCallStatus, CallStatus: "in-progress" })).text;
      rung.push(rungBy(text));
      expect((await callsOf(pool))[0]).toMatchObject({ outcome: "in_progress", answered_by: null });
    }
    expect(rung).toEqual([[sales, support], [sales], [support], [mobile]]);
    const [last = ""] = listAttributeValues(text, "action");
    const completed = { DialCallStatus: "completed", DialCallDuration: "5", CallStatus: "in-progress" };
    expect((await phoneSystem.send(last, { ...ring, ...completed })).text).toContain("<Response/>");
    expect(await callsOf(pool)).toMatchObject([{ outcome: "answered", answered_by: mobile, duration_seconds: 5 }]);
  });

  test.each([
    ["nobody answers", "no-answer", "in-progress", "missed"],
    ["the caller hangs up", "canceled", "completed", "abandoned"],
  ] as const)("steps end if %s", async (_, status, CallStatus, outcome) => {
    const [phoneSystem, pool, [sales = "", support = ""]] = [await twilio(), await newNumber(), uniqueNumbers(2)];
    await setSteps(pool, ["in_turn", pool.originalNumber, sales, support]);
    for (let place = 0; place < 3; place++) {
      const { voice, ring } = await startCall(phoneSystem, pool.number);
      const answer = (text: string, DialCallStatus: string) =>
        phoneSystem.send(listAttributeValues(text, "action")[0] ?? "", { ...ring, DialCallStatus, CallStatus });
      let { text } = voice;
      for (let step = 0; step < place; step++) {
        const [action = ""] = listAttributeValues(text, "action");
        const noAnswer = { ...ring, DialCallStatus: "no-answer", CallStatus: "in-progress" };
        text = (await phoneSystem.send(action, noAnswer)).text;
      }
      const isNext = status === "no-answer" && place < 2;
      expect((await answer(text, status)).text.includes("<Dial")).toBe(isNext);
      if (!isNext)
        expect((await callsOf(pool))[0]).toMatchObject({ call_id: ring.CallSid, outcome, answered_by: null });
    }
  });

  test("each call of a shared step chooses by weight, and its repeated request the same", async () => {
    const [pbx, pool, [sales = "", support = ""]] = [
      await newPbx(api(), service.server.url),
      await newNumber(),
      uniqueNumbers(2),
    ];
    const targets = [
      { phone_number: sales, weight: 70 },
      { phone_number: support, weight: 30 },
    ];
    await api().updateCallFlow({ ...pool.name, settings: { steps: [{ order: "shared", targets }] } });
    // Uses fixed call ids instead of random ones, so that the same calls can be routed again.
    const choose = async (call: number) => {
      const { text } = await pbx.send("voice", { call_id: `call-${call}`, to: pool.number, from: "anonymous" });
      return JSON.parse(text).steps.map((step: { targets: { destination: string }[] }) => step.targets[0]?.destination);
    };
    // Waits until the route is cached. Otherwise, the fallback number would ring if the database is slow.
    await expect.poll(() => choose(0)).toHaveLength(2);
    const chosen = await Promise.all(Array.from({ length: 50 }, (_, call) => choose(call)));
    expect(chosen.map((numbers) => numbers.toSorted())).toEqual(chosen.map(() => [sales, support].sort()));
    expect(new Set(chosen.map(([first]) => first)).size).toBe(2);
    expect(await Promise.all(chosen.map((_, call) => choose(call)))).toEqual(chosen);
  });

  test("a PBX rings the steps, and the report of the end tells which number answered", async () => {
    const [pbx, pool, [sales = "", support = ""]] = [
      await newPbx(api(), service.server.url),
      await newNumber(),
      uniqueNumbers(2),
    ];
    await setSteps(pool, ["at_once", pool.originalNumber], ["at_once", sales, support]);
    const call = { call_id: uniqueToken("call"), to: pool.number, from: uniqueNumber() };
    const { steps, destination, fallback_destination, report } = JSON.parse((await pbx.send("voice", call)).text);
    expect(steps).toMatchObject([
      { step: "original", targets: [{ step: "original", destination: pool.originalNumber }] },
      {
        step: "fallback",
        targets: [
          { step: "fallback", destination: sales },
          { step: "fallback.1", destination: support },
        ],
      },
    ]);
    expect([destination, fallback_destination]).toEqual([pool.originalNumber, sales]);
    const ended = { ...call, report, event: "ended", step: "fallback.1", sip_status: "200" };
    expect((await pbx.send("status", ended)).status).toBe(204);
    expect(await callsOf(pool)).toMatchObject([{ outcome: "answered", answered_by: support }]);
  });

  test("no target outside the rules of the phone system is dialed, whatever a call flow names", async () => {
    const own = { allowed_prefixes: ["+1212"], allowed_sip_hosts: ["PBX.example.com"] };
    const [pbx, pool] = [await newPbx(api(), service.server.url, own), await newNumber()];
    const later = "+12125550177";
    const allowed = ["+12125550178", "sip:reception@pbx.example.com", "sip:+12125550179@pbx.example.com:5061"];
    const barred = [
      ...["+19002345678", "+4930123456", later, `sip:${later}@pbx.example.com`, "sip:a@evil.example"],
      ...["sip:+19002345678@pbx.example.com", "sip:reception@evil.pbx.example.com"],
    ];
    const targets = [...barred, ...allowed].map((destination) =>
      destination.startsWith("+") ? { phone_number: destination } : { sip_uri: destination },
    );
    for (const order of ["at_once", "in_turn", "shared"]) {
      await api().updateCallFlow({ ...pool.name, settings: { steps: [{ order, targets }] } });
      if (order === "at_once")
        await api().addTrackingNumbers({ tracking_numbers: [{ phone_number: later, area_code: "212" }] });
      const { text } = await pbx.send("voice", { call_id: uniqueToken("call"), to: pool.number, from: "anonymous" });
      const { steps } = JSON.parse(text) as { steps: { targets: { destination: string }[] }[] };
      const dialed = steps.flatMap((step) => step.targets.map(({ destination }) => destination));
      expect(dialed.toSorted(), order).toEqual(allowed.toSorted());
      // Removes the number that has become a tracking number, because the API rejects further updates that name it.
      if (order === "at_once")
        targets.splice(0, targets.length, ...targets.filter((target) => !JSON.stringify(target).includes(later)));
    }
  });

  const MAILBOX = { voicemail: { greeting_text: "Please leave a message.", max_seconds: 60 } };
  const MESSAGE = { RecordingSid: "RE1", RecordingUrl: "https://recordings.example/RE1" };

  /** Starts a call whose only number does not answer. Returns the URL for the result of the voicemail. */
  async function reachVoicemail(phoneSystem: PhoneSystemClient, pool: TrackedPool & { readonly number: string }) {
    await api().updateCallFlow({ ...pool.name, settings: { steps: [{ targets: [{ original: true }] }, MAILBOX] } });
    const { ring, send } = await startCall(phoneSystem, pool.number);
    const { text } = await send("dialBusy");
    expect(text).toMatch(/<Say [^>]*>Please leave a message\.<\/Say><Record [^>]*maxLength="60"[^>]*\/><Hangup\/>/);
    expect((await callsOf(pool))[0]).toMatchObject({ outcome: "in_progress" });
    return { ring, send, action: listAttributeValues(text, "action")[0] ?? "" };
  }

  test("a message in the voicemail is neither an answer nor a missed call", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber()];
    const { ring, send, action } = await reachVoicemail(phoneSystem, pool);
    const left = { ...ring, ...MESSAGE, CallStatus: "completed", RecordingDuration: "9", Digits: "hangup" };
    const status = { CallSid: ring.CallSid, ...MESSAGE, RecordingDuration: "9", RecordingStatus: "completed" };
    for (const form of [left, status, left]) expect((await phoneSystem.send(action, form)).text).toContain("<Hangup/>");
    await send("callerGone");
    const recorded = {
      ...{ outcome: "voicemail", outcome_basis: "dial_result", answered_at: null, answered_by: null },
      ...{ duration_seconds: 0, ended_at: expect.any(String), recording_url: MESSAGE.RecordingUrl },
    };
    expect(await callsOf(pool)).toMatchObject([recorded]);
    const [report] = await api().reportCalls({ account_id: pool.account.account_token });
    expect(report).toMatchObject({ calls: 1, voicemail: 1, answered: 0, missed: 0, total_seconds: 0 });
  });

  test.each<[name: string, fields: Form]>([
    ["hangs up at the tone", { ...MESSAGE, RecordingDuration: "1" }],
    ["says nothing", { ...MESSAGE, RecordingStatus: "absent" }],
    ["hangs up in the greeting", {}],
  ])("a caller who %s in the voicemail is as busy as the number before it", async (_, fields) => {
    const [phoneSystem, pool] = [await twilio(), await newNumber()];
    const { ring, action } = await reachVoicemail(phoneSystem, pool);
    await phoneSystem.send(action, { ...ring, ...fields, CallStatus: "completed" });
    expect(await callsOf(pool)).toMatchObject([{ outcome: "busy", recording_url: null, duration_seconds: 0 }]);
  });

  test("a closed business has a voicemail alone, and a call without a message is missed", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber({ is_prompted: true })];
    const periods = [{ days: ["monday"], opens: "09:00", closes: "09:01" }];
    const settings = { hours: { time_zone: "UTC", periods }, closed_steps: [MAILBOX] };
    await api().updateCallFlow({ ...pool.name, settings });
    const { voice, ring, send } = await startCall(phoneSystem, pool.number);
    expect(voice.text).toMatch(/<Response><Say [^>]*>Please leave a message\.<\/Say><Record /);
    await send("callerGone");
    expect(await callsOf(pool)).toMatchObject([{ outcome: "missed", is_prompted: false }]);
    const [action = ""] = listAttributeValues(voice.text, "action");
    await phoneSystem.send(action, { ...ring, ...MESSAGE, RecordingDuration: "9", CallStatus: "in-progress" });
    expect(await callsOf(pool)).toMatchObject([{ outcome: "voicemail", recording_url: MESSAGE.RecordingUrl }]);
  });

  test("a PBX records a message and reports it", async () => {
    const [pbx, pool] = [await newPbx(api(), service.server.url), await newNumber()];
    await api().updateCallFlow({ ...pool.name, settings: { steps: [{ targets: [{ original: true }] }, MAILBOX] } });
    const call = { call_id: uniqueToken("call"), to: pool.number, from: uniqueNumber() };
    const { voicemail, report } = JSON.parse((await pbx.send("voice", call)).text);
    expect(voicemail).toEqual({ greeting_text: "Please leave a message.", language: "en-US", max_seconds: 60 });
    const named = { ...call, report, step: "voicemail" };
    const recording_url = "https://pbx.example/1.wav";
    expect((await pbx.send("recording", { ...named, recording_url })).status).toBe(204);
    expect((await pbx.send("status", { ...named, event: "ended", sip_status: "200" })).status).toBe(204);
    const recorded = { outcome: "voicemail", answered_at: null, duration_seconds: 0, recording_url };
    expect(await callsOf(pool)).toMatchObject([recorded]);
  });

  test("a whisper asks for a key, and a recording sets the link", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber({ is_prompted: true, is_recorded: true })];
    await api().updateCallFlow({ ...pool.name, settings: { whisper_text: "From a <web> page", accept_digit: "1" } });
    const { ring, send, urls } = await startCall(phoneSystem, pool.number);
    const child = { CallSid: CHILD, ParentCallSid: ring.CallSid };
    const asked = await phoneSystem.send(urls.whisper, child);
    expect(asked.text).toMatch(/<Gather [^>]*><Say [^>]*>From a &lt;web&gt; page<\/Say><\/Gather><Hangup\/>/);
    const [action = ""] = listAttributeValues(asked.text, "action");
    expect((await phoneSystem.send(action, { ...child, Digits: "1" })).text).toContain("<Response/>");
    expect((await phoneSystem.send(action, { ...child, Digits: "2" })).text).toContain("<Hangup/>");
    const RecordingUrl = "https://recordings.example/RE1";
    const recording = { CallSid: ring.CallSid, RecordingSid: "RE1", RecordingUrl };
    await phoneSystem.send(urls.recording, { ...recording, RecordingStatus: "absent" });
    expect((await callsOf(pool))[0]).toMatchObject({ recording_url: null, is_recorded: true, is_prompted: true });
    await send("dialCompleted");
    await phoneSystem.send(urls.recording, { ...recording, RecordingStatus: "completed" });
    expect((await callsOf(pool))[0]).toMatchObject({ recording_url: RecordingUrl, outcome: "answered" });
  });

  test("no later number is recorded if the caller heard no notice", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber({ is_prompted: true, is_recorded: true })];
    const [dialed, RECORD] = [{ fallback_number: uniqueNumber() }, 'record="record-from-answer-dual"'];
    await api().updateCallFlow({ ...pool.name, settings: { ...dialed, prompt: "off" } });
    const unprompted = await startCall(phoneSystem, pool.number);
    expect(unprompted.voice.text).not.toContain(RECORD);
    await api().updateCallFlow({ ...pool.name, settings: dialed });
    const prompted = await startCall(phoneSystem, pool.number);
    expect(prompted.voice.text).toContain(RECORD);
    const [unheard, heard] = [await unprompted.send("dialNoAnswer"), await prompted.send("dialNoAnswer")];
    for (const { text } of [unheard, heard]) expect(rungBy(text)).toEqual([dialed.fallback_number]);
    expect(unheard.text).not.toContain(RECORD);
    expect(heard.text).toContain(RECORD);
  });

  test("a link to a recording that a person has set stays, whatever the provider repeats", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber({ is_prompted: true, is_recorded: true })];
    const { ring, urls } = await startCall(phoneSystem, pool.number);
    const recordedAt = (RecordingUrl: string, RecordingSid = "RE1") => ({
      ...{ CallSid: ring.CallSid, RecordingSid, RecordingUrl, RecordingStatus: "completed" },
    });
    await phoneSystem.send(urls.recording, recordedAt("https://recordings.example/RE1"));
    const [call] = await callsOf(pool);
    expect(call).toMatchObject({ recording_url: "https://recordings.example/RE1" });
    const archived = "https://archive.example/1.wav";
    // As if the link from the provider expired, as those from Telnyx do.
    await sql`update calls set recording_expires_at = now() where id = ${call?.id}`.execute(
      service.server.database.kysely,
    );
    await api().updateCall({ account_id: pool.account.account_token, id: call?.id, recording_url: archived });
    await phoneSystem.send(urls.recording, recordedAt("https://recordings.example/RE1.wav"));
    await phoneSystem.send(urls.recording, recordedAt("https://recordings.example/RE2", "RE2"));
    expect(await callsOf(pool)).toMatchObject([{ recording_url: archived, recording_expires_at: null }]);
  });

  test("a call whose end overtakes its ring was prompted and recorded as the ring was answered", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber({ is_prompted: true, is_recorded: true })];
    await api().updateCallFlow({ ...pool.name, settings: { prompt: "off", recording: "off" } });
    const ring = { CallSid: uniqueToken("CA"), Direction: "inbound", From: uniqueNumber(), To: pool.number };
    await phoneSystem.send("status", { ...ring, CallStatus: "completed", CallDuration: "9" });
    expect(await callsOf(pool)).toMatchObject([{ is_prompted: true, is_recorded: true }]);
    await phoneSystem.send("voice", { ...ring, CallStatus: "ringing" });
    expect(await callsOf(pool)).toMatchObject([{ is_prompted: false, is_recorded: false, outcome: "unknown" }]);
  });

  test("a call from a withheld or unreadable number has no caller's number", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber()];
    const unreadable = ["Anonymous", "+266696687", "client:bob", "", `+${"9".repeat(60_000)}`];
    const withheld = { From: "+14155550123", SipHeader_Privacy: "id" };
    for (const caller of [...unreadable.map((From) => ({ From })), withheld]) {
      const { voice } = await startCall(phoneSystem, pool.number, caller);
      expect(voice.text).toContain(`callerId="${pool.number}"`);
      expect((await callsOf(pool))[0]).toMatchObject({ caller_number: null, is_first_call: null });
    }
  });

  test("an unreadable caller of a PBX is distinguished from one who withholds the number", async () => {
    const newPbxOf = (fields: Readonly<Record<string, unknown>>) => newPbx(api(), service.server.url, fields);
    const [pbx, pool] = [await newPbxOf({ country_code: "1" }), await newNumber()];
    const count = (caller: string) =>
      readMetric(
        service.server.opsUrl,
        `calltrack_routed_calls_total{phone_system="${pbx.id}",by="database",caller="${caller}"}`,
      );
    const answer = async (from: string, asked = pbx) => {
      const { text } = await asked.send("voice", { call_id: uniqueToken("call"), to: pool.number, from });
      const [call] = await callsOf(pool);
      return {
        privacy: JSON.parse(text).privacy,
        caller_number: call?.caller_number,
        caller_id: JSON.parse(text).caller_id,
      };
    };
    const noNumber = { caller_number: null, caller_id: pool.number };
    expect(await answer("442079460100")).toEqual({ ...noNumber, privacy: undefined });
    expect(await count("unreadable")).toBe(1);
    expect(await answer("anonymous")).toEqual({ ...noNumber, privacy: "id" });
    expect(await count("withheld")).toBe(1);
    const german = await newPbxOf({ country_code: "49", trunk_prefix: "0" });
    const british = { caller_number: "+442079460100", caller_id: "+442079460100", privacy: undefined };
    expect(await answer("442079460100", german)).toEqual(british);
  });

  test("calls that loop are rejected as busy, and all others ring", async () => {
    const [phoneSystem, pool, foreign] = [await twilio(), await newNumber(), await newNumber()];
    const [sibling = "", released = ""] = pool.trackers
      .map(({ tracking_number }) => tracking_number)
      .filter((number) => number !== pool.number);
    await api().retireTrackingNumber({ phone_number: released, immediately: true });
    await pool.pass();
    const [free = "", mobile] = [(await pool.addNumbers(2))[1], uniqueNumber()];
    const headerOf = (...numbers: readonly string[]) =>
      numbers.map((number) => `<sip:${number}@sip.example>;reason=no-answer`).join(", ");
    const honest: readonly Form[] = [
      { ForwardedFrom: pool.number },
      { SipHeader_Diversion: headerOf(pool.number) },
      // The number is forwarded to a mobile phone, which forwards the call again: carriers keep the dialed number in the header.
      { SipHeader_Diversion: headerOf(mobile, pool.number) },
      { ForwardedFrom: pool.number, SipHeader_Diversion: headerOf(pool.number) },
      { ForwardedFrom: pool.originalNumber },
      ...[free, released, foreign.number].flatMap((number) => [{ From: number }, { ForwardedFrom: number }]),
    ];
    for (const fields of honest) {
      const { voice } = await startCall(phoneSystem, pool.number, fields);
      expect(voice.text, JSON.stringify(fields)).toContain(`>${pool.originalNumber}</Number>`);
    }
    expect((await callsOf(pool)).map(({ reject_reason }) => reject_reason)).toEqual(honest.map(() => null));
    const loops: readonly Form[] = [
      { From: sibling },
      { From: pool.number },
      { ForwardedFrom: sibling },
      { SipHeader_Diversion: headerOf(pool.number, mobile, sibling) },
    ];
    for (const fields of loops) {
      // Retries the call, because a busy database may not find the route of the caller's or redirecting number in time.
      const ring = async () => (await startCall(phoneSystem, pool.number, fields)).voice.text;
      await expect.poll(ring, { message: JSON.stringify(fields) }).toContain('<Reject reason="busy"/>');
    }
    const rejected = await callsOf(pool, { reject_reason: "LOOP" });
    const recorded = { outcome: "failed", ended_at: expect.any(String), reject_reason: "LOOP" };
    expect(rejected).toMatchObject(loops.map(() => recorded));
  });

  test("a loop through a PBX is rejected, and a diversion from the dialed number is not a loop", async () => {
    const [pbx, pool] = [await newPbx(api(), service.server.url), await newNumber()];
    const sibling = pool.trackers.find(({ tracking_number }) => tracking_number !== pool.number);
    const ring = () => ({ call_id: uniqueToken("call"), to: pool.number, from: uniqueNumber() });
    const own = await pbx.send("voice", { ...ring(), diversion: `<sip:${pool.number}@pbx>;reason=unconditional` });
    expect(JSON.parse(own.text)).toMatchObject({ action: "dial", destination: pool.originalNumber });
    const loop = await pbx.send("voice", { ...ring(), diversion: `<sip:${sibling?.tracking_number}@pbx>` });
    expect(JSON.parse(loop.text)).toMatchObject({ action: "reject", sip_status: 486, reason: "LOOP" });
  });

  test.each([
    [
      "History-Info",
      (sibling: string) => ({
        history_info: `<sip:${sibling}@pbx>;index=1, <sip:+13105550199@pbx?Reason=SIP%3Bcause%3D302>;index=1.1;mp=1`,
      }),
    ],
    [
      "the end of a long History-Info",
      (sibling: string) => ({
        history_info: [...Array(100).fill("<sip:+13105550199@pbx>;index=1"), `<sip:${sibling}@pbx>;index=1.1`].join(
          ", ",
        ),
      }),
    ],
    ["the second identity", (sibling: string) => ({ asserted_identity: `<sip:anna@pbx>,<tel:${sibling}>` })],
  ])("a loop through a PBX is recognized by %s", async (_, fieldsOf) => {
    const [pbx, pool] = [await newPbx(api(), service.server.url), await newNumber()];
    const sibling = pool.trackers.find(({ tracking_number }) => tracking_number !== pool.number)?.tracking_number;
    const ring = { call_id: uniqueToken("call"), to: pool.number, from: uniqueNumber() };
    const answer = await pbx.send("voice", { ...ring, ...fieldsOf(sibling as string) });
    expect(JSON.parse(answer.text)).toMatchObject({ action: "reject", reason: "LOOP" });
  });

  /** Starts `count` calls from one caller. Returns the caller's number, the calls, and whether each call was rejected. */
  async function startCalls(phoneSystem: PhoneSystemClient, number: string, count: number, From = uniqueNumber()) {
    const calls = [];
    for (let call = 0; call < count; call++) calls.push(await startCall(phoneSystem, number, { From }));
    return { From, calls, rejections: calls.map(({ voice }) => voice.text.includes("<Reject")) };
  }

  const FIVE_RING = [false, false, false, false, false];

  test("the sixth call of a caller while five others ring is rejected, and each retry gets the same answer", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber()];
    const { From, calls, rejections } = await startCalls(phoneSystem, pool.number, 7);
    expect(rejections).toEqual([...FIVE_RING, true, true]);
    const [first, sixth] = [calls[0], calls[5]];
    expect((await phoneSystem.send("voice", first?.ring ?? {})).text).toContain("<Dial");
    expect((await phoneSystem.send("voice", sixth?.ring ?? {})).text).toContain("<Reject");
    await sixth?.send("callerCanceled");
    const recorded = {
      outcome: "failed",
      outcome_basis: "dial_result",
      reject_reason: "REPEATED",
      caller_number: From,
    };
    expect(await callsOf(pool, { reject_reason: "REPEATED" })).toMatchObject([recorded, recorded]);
    const other = await startCall(phoneSystem, pool.number);
    expect(other.voice.text).toContain("<Dial");
  });

  test.each<RequestName>(["answered", "dialCompleted", "dialBusy", "callerGone"])(
    "a sixth call rings if one before it was reported: %s",
    async (report) => {
      const [phoneSystem, pool] = [await twilio(), await newNumber()];
      const { From, calls } = await startCalls(phoneSystem, pool.number, 5);
      await calls[2]?.send(report);
      expect((await startCalls(phoneSystem, pool.number, 3, From)).rejections).toEqual([false, false, false]);
      expect((await callsOf(pool)).map(({ reject_reason }) => reject_reason)).toEqual(Array(8).fill(null));
    },
  );

  test.each<RequestName>(["ringing", "unanswered"])(
    "a report of a leg alone does not end a call: %s",
    async (report) => {
      const [phoneSystem, pool] = [await twilio(), await newNumber()];
      const { From, calls } = await startCalls(phoneSystem, pool.number, 5);
      for (const { send } of calls) await send(report);
      expect((await startCalls(phoneSystem, pool.number, 1, From)).rejections).toEqual([true]);
    },
  );

  test("calls from withheld numbers, and to a closed business, are not counted", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber()];
    expect((await startCalls(phoneSystem, pool.number, 7, "Anonymous")).rejections).not.toContain(true);
    const periods = [{ days: ["monday"], opens: "09:00", closes: "09:01" }];
    await api().updateCallFlow({ ...pool.name, settings: { hours: { time_zone: "UTC", periods } } });
    const { calls } = await startCalls(phoneSystem, pool.number, 7);
    for (const { voice } of calls) expect(voice.text).toContain("<Hangup/>");
  });

  test("a number without a call tracker that is its own fallback number is not dialed again", async () => {
    const phoneSystem = await twilio();
    const { voice } = await startCall(phoneSystem, phoneSystem.fallbackNumber);
    expect(voice.text).toContain("<Reject");
  });

  test("a closed business, an unknown number and a number without a phone system", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber()];
    const periods = [{ days: ["monday"], opens: "09:00", closes: "09:01" }];
    const closed_text = "We are closed.";
    await api().updateCallFlow({ ...pool.name, settings: { hours: { time_zone: "UTC", periods }, closed_text } });
    const { voice } = await startCall(phoneSystem, pool.number);
    expect(voice.text).toMatch(/<Say [^>]*>We are closed\.<\/Say><Hangup\/>/);
    expect(await callsOf(pool)).toMatchObject([{ outcome: "missed", duration_seconds: 0, is_prompted: false }]);
    const unknown = await startCall(phoneSystem, uniqueNumber());
    expect(unknown.voice.text).toContain(`>${phoneSystem.fallbackNumber}</Number>`);
    expect((await unknown.send("dialCompleted")).text).toContain("<Response/>");
    const none = await phoneSystem.send("voice", { From: "+12125550100" });
    expect(none.text).toContain(`>${phoneSystem.fallbackNumber}</Number>`);
    const metric = `calltrack_routed_calls_total{phone_system="${phoneSystem.id}",by="fallback",caller="number"}`;
    expect(await readMetric(service.server.opsUrl, metric)).toBe(2);
  });

  test("a call flow that cannot be executed does not keep a call from ringing", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber()];
    await api().updateCallFlow({ ...pool.name, settings: { ring_seconds: 30 } });
    const settings = JSON.stringify({ hours: { timeZone: "Nowhere/Nowhere" } });
    await sql`update call_flows set settings = ${settings}::jsonb where pool_id = ${pool.pool.id}`.execute(kysely());
    const { voice, send } = await startCall(phoneSystem, pool.number);
    expect(voice.text).toContain(`>${phoneSystem.fallbackNumber}</Number>`);
    expect((await send("dialNoAnswer")).text).toContain("<Response/>");
    expect(await callsOf(pool)).toMatchObject([{ outcome: "missed" }]);
  });

  test("calls to a disabled account and to a released number are routed and recorded", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber()];
    await api().updateAccount({ id: pool.account.id, is_active: false });
    await startCall(phoneSystem, pool.number);
    const { rows } = await sql`select from calls where account_id = ${pool.account.id}`.execute(kysely());
    expect(rows).toHaveLength(1);
    await api().updateAccount({ id: pool.account.id, is_active: true });
    await api().retireTrackingNumber({ phone_number: pool.number, immediately: true });
    await pool.pass();
    const { voice } = await startCall(phoneSystem, pool.number);
    expect(voice.text).toContain(`>${pool.originalNumber}</Number>`);
    expect((await callsOf(pool))[0]).toMatchObject({ tracker_status: "released" });
  });

  test("two phone systems can have calls with the same id, and cannot report each other's calls", async () => {
    const [one, other, pool] = [await twilio(), await twilio(), await newNumber()];
    const CallSid = uniqueToken("CA");
    const { urls } = await startCall(one, pool.number, { CallSid });
    await startCall(other, pool.number, { CallSid });
    expect((await callsOf(pool)).map(({ phone_system_id }) => phone_system_id).sort()).toEqual(
      [one.id, other.id].sort(),
    );
    const stolen = urls.dial.replace(one.id, other.id);
    const end = { CallSid, DialCallStatus: "busy", CallStatus: "completed" };
    expect((await other.send(stolen, end)).text).toContain("<Response/>");
    expect((await other.send(stolen.replace("/dial", "/status"), end)).status).toBe(400);
    expect((await callsOf(pool)).map(({ outcome }) => outcome)).toEqual(["in_progress", "in_progress"]);
  });

  test("a call to a number of another phone system is recorded under that one", async () => {
    const [asking, named, pool] = [await twilio(), await twilio(), await newNumber()];
    await sql`update tracking_numbers set phone_system_id = ${named.id} where phone_number = ${pool.number}`.execute(
      kysely(),
    );
    const { send } = await startCall(asking, pool.number);
    await send("dialCompleted");
    expect(await callsOf(pool)).toMatchObject([{ phone_system_id: named.id, outcome: "answered" }]);
  });

  test("a status report records a call that the provider routed itself", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber()];
    const From = uniqueNumber();
    const end = { CallSid: uniqueToken("CA"), CallStatus: "completed", CallDuration: "30", From, To: pool.number };
    await phoneSystem.send("status", end);
    const unknown = { outcome: "unknown", outcome_basis: "caller_leg", duration_seconds: null };
    const recorded = { ...unknown, caller_number: From, phone_system_id: phoneSystem.id };
    expect(await callsOf(pool)).toMatchObject([recorded]);
  });

  test("an outcome that a person set stays, and one that the timer set does not", async () => {
    const [phoneSystem, pool] = [await twilio(), await newNumber()];
    const account_id = pool.account.account_token;
    const { send } = await startCall(phoneSystem, pool.number);
    await send("callerGone");
    const [call] = await callsOf(pool);
    await api().updateCall({ account_id, id: call?.id, outcome: "failed" });
    await send("dialNoAnswer");
    expect(await callsOf(pool)).toMatchObject([{ outcome: "failed", outcome_basis: null }]);
    const endless = await startCall(phoneSystem, pool.number);
    const running = `calltrack_running_calls{phone_system="${phoneSystem.id}"}`;
    expect(await readMetric(service.server.opsUrl, running)).toBe(1);
    const started_at = new Date(Date.now() - 5 * 60 * 60 * 1000);
    await kysely().updateTable("calls").set({ started_at }).where("account_id", "=", pool.account.id).execute();
    await service.server.closeOverdueCalls();
    expect((await callsOf(pool)).map(({ outcome_basis }) => outcome_basis).sort()).toEqual([null, "timer"]);
    await endless.send("dialCompleted");
    const late = (await callsOf(pool)).find(({ call_id }) => call_id === endless.ring.CallSid);
    expect(late).toMatchObject({ outcome: "answered", outcome_basis: "dial_result", duration_seconds: 60 });
  });

  test.each<[name: RequestName | "timer", expected: Partial<CallJson>]>([
    ["dialCompleted", { outcome: "answered", ended_at: expect.any(String) }],
    ["dialNoAnswer", { outcome: "answered", ended_at: expect.any(String) }],
    ["answered", { outcome: "in_progress", ended_at: null }],
    ["timer", { outcome: "answered", ended_at: null }],
  ])("the time of an answer that a person set stays after the report %s", async (name, expected) => {
    const [phoneSystem, pool] = [await twilio(), await newNumber()];
    const { send } = await startCall(phoneSystem, pool.number);
    const started_at = new Date(Date.now() - 5 * 3_600_000);
    await callsOf(pool);
    await kysely().updateTable("calls").set({ started_at }).where("account_id", "=", pool.account.id).execute();
    const [call] = await callsOf(pool);
    const answered_at = new Date(started_at.getTime() + 7000).toISOString();
    await api().updateCall({ account_id: pool.account.account_token, id: call?.id, answered_at });
    await (name === "timer" ? service.server.closeOverdueCalls() : send(name));
    expect(await callsOf(pool)).toMatchObject([{ answered_at, outcome_basis: null, ...expected }]);
  });

  test("the times that a PBX reports count, whenever its requests arrive and in whatever order", async () => {
    const [pbx, pool] = [await newPbx(api(), service.server.url), await newNumber()];
    // The server was stopped for a minute: all requests about the call arrive when it continues.
    const begin = Date.now() - 60_000;
    const at = (seconds: number) => new Date(begin + seconds * 1000).toISOString();
    const send = async (order: "in order" | "reversed" | "without report") => {
      const call = { call_id: uniqueToken("call"), to: pool.number, from: "+12125550123", started_at: at(0) };
      const asserted_identity = "<sip:+12125550123@pbx;verstat=TN-Validation-Passed>";
      const ring = async () => JSON.parse((await pbx.send("voice", { ...call, asserted_identity })).text).report;
      const answered = { ...call, event: "answered", step: "original", answered_at: at(5) };
      const ended = { ...answered, event: "ended", sip_status: "200", ended_at: at(8.4) };
      const report = order === "without report" ? undefined : await ring();
      const statuses = order === "reversed" ? [ended, answered] : [answered, ended];
      for (const fields of statuses) {
        expect((await pbx.send("status", { ...fields, ...(report && { report }) })).status).toBe(204);
      }
      if (report === undefined) await ring();
      return (await callsOf(pool)).find(({ call_id }) => call_id === call.call_id);
    };
    const times = { started_at: at(0), answered_at: at(5), ended_at: at(8.4), duration_seconds: 3 };
    const caller_attestation = "TN-Validation-Passed";
    for (const order of ["in order", "reversed", "without report"] as const) {
      expect(await send(order), order).toMatchObject({ ...times, outcome: "answered", caller_attestation });
    }
  });

  test("a start in the past belongs to the source at that time, and a later report can only move it further back", async () => {
    const [pbx, pool] = [await newPbx(api(), service.server.url), await newNumber()];
    const heldFrom = new Date(Date.now() - 30 * 86_400_000);
    const ofNumber = kysely().updateTable("tracking_number_holders").where("phone_number", "=", pool.number);
    await ofNumber.set({ held_from: heldFrom }).execute();
    const ring = { call_id: uniqueToken("call"), to: pool.number, from: "+12125550123" };
    const started = new Date(heldFrom.getTime() + 3_600_000).toISOString();
    await pbx.send("voice", { ...ring, started_at: started });
    const [call] = await callsOf(pool);
    // No source had the number when the call started.
    expect(call).toMatchObject({ started_at: started, source: null, tracker_status: "available" });
    const send = (fields: Form) => pbx.send("status", { ...ring, event: "ended", step: "original", ...fields });
    await send({ sip_status: "486", started_at: new Date().toISOString() });
    expect((await callsOf(pool))[0]).toMatchObject({ started_at: started, outcome: "busy" });
    const earlier = new Date(heldFrom.getTime() + 60_000).toISOString();
    await send({ sip_status: "486", started_at: earlier });
    expect((await callsOf(pool))[0]).toMatchObject({ started_at: earlier, source: null, outcome: "busy" });
  });

  test("a report with the reference of the call can move the start of the call back", async () => {
    const [pbx, pool] = [await newPbx(api(), service.server.url), await newNumber()];
    const call = { call_id: uniqueToken("call"), to: pool.number, from: uniqueNumber() };
    const { report } = JSON.parse((await pbx.send("voice", call)).text);
    const [ring] = await callsOf(pool);
    const start = Date.parse(ring?.started_at ?? "");
    const ago = (seconds: number) => new Date(start - seconds * 1000).toISOString();
    for (const [given, expected] of [
      [ago(30), ago(30)],
      [ago(60), ago(60)],
      [ago(45), ago(60)],
    ] as const) {
      const ended = { ...call, report, event: "ended", step: "original", sip_status: "486", started_at: given };
      expect((await pbx.send("status", ended)).status).toBe(204);
      expect(await callsOf(pool)).toMatchObject([{ started_at: expected, outcome: "busy" }]);
    }
  });

  test("a PBX returns the reference of a number whose country is unknown", async () => {
    const pbx = await newPbx(api(), service.server.url);
    const call = { call_id: uniqueToken("call"), to: "08005550101", from: "+12125550123" };
    const { report } = JSON.parse((await pbx.send("voice", call)).text);
    const ended = { ...call, report, event: "ended", step: "fallback", sip_status: "486" };
    expect((await pbx.send("status", ended)).status).toBe(204);
  });

  test("a loop is recognized by the latest of many diversions", async () => {
    const [pbx, pool] = [await newPbx(api(), service.server.url), await newNumber()];
    const [, other] = pool.trackers.map(({ tracking_number }) => tracking_number);
    const number = pool.number === other ? pool.trackers[0]?.tracking_number : other;
    const diversion = [`<sip:${number}@pbx>`, ...Array(100).fill("<sip:+13105550199@pbx>;reason=no-answer")].join(", ");
    const answer = await pbx.send("voice", { call_id: uniqueToken("call"), to: pool.number, from: "100", diversion });
    expect(JSON.parse(answer.text)).toMatchObject({ action: "reject", reason: "LOOP" });
  });
});
