import type { CallEvent } from "@calltrack/domain";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ARRIVED_AT, PROVIDER_REQUESTS } from "../../testing/provider-requests.js";
import type { ProviderKind } from "./provider-traits.js";
import { readProviderWebhook } from "./read-provider-webhook.js";
import { readSipWebhook } from "./read-sip-webhook.js";
import type { ProviderWebhook, SipWebhook } from "./webhook.js";

type Fields = Readonly<Record<string, string>>;
type Page = ProviderWebhook["page"];

const KINDS = ["twilio", "signalwire", "telnyx"] as const;

const at = (time: string) => new Date(`2026-11-26T10:00:${time}Z`);

function read(kind: ProviderKind, page: Page, fields: Fields, step: "original" | "fallback" = "original") {
  return readProviderWebhook(kind, page, new URLSearchParams(fields), step, ARRIVED_AT);
}

/** Reads a report of a documented request with some other fields. */
function readEvents(kind: ProviderKind, request: "dialedLeg" | "callerLeg" | "recording", fields: Fields = {}) {
  const page = request === "recording" ? "recording" : "status";
  const webhook = read(kind, page, { ...PROVIDER_REQUESTS[kind][request], ...fields }, "fallback");
  return "events" in webhook ? webhook.events : undefined;
}

function readResult(kind: ProviderKind, fields: Fields) {
  const webhook = read(kind, "dial", { ...PROVIDER_REQUESTS[kind].dial, ...fields });
  return "result" in webhook ? webhook.result : undefined;
}

describe.each(KINDS)("%s", (kind) => {
  const requests = PROVIDER_REQUESTS[kind];
  const callSid = requests.voice.CallSid;

  test("a new call", () => {
    expect(read(kind, "voice", requests.voice)).toEqual({
      page: "voice",
      call: {
        ...{ providerCallId: callSid, to: "+12223334444", from: "+14155550123", isCallerNamed: true },
        ...{ assertedIdentity: undefined, privacy: undefined },
        redirections: kind === "telnyx" ? undefined : "+13105550199",
      },
    });
  });

  test("requests about the dialed leg name the call, or nothing", () => {
    const expected = { providerCallId: kind === "signalwire" ? undefined : callSid, isCallerNamed: false };
    expect(read(kind, "status", requests.dialedLeg).call).toMatchObject(expected);
    expect(read(kind, "whisper", requests.whisper).call).toMatchObject(expected);
    expect(read(kind, "whisper", requests.whisper)).toMatchObject({ digits: "1" });
    expect(read(kind, "recording", requests.recording).call).toMatchObject({
      providerCallId: callSid,
      isCallerNamed: false,
    });
  });

  // CallStatus of the dialed leg: its outcome; "connected" for a leg that goes on, undefined if nothing is reported.
  test.each<[string, string | undefined]>([
    ["queued", undefined],
    ["initiated", undefined],
    ["ringing", undefined],
    ["in-progress", "connected"],
    ["answered", "connected"],
    ["completed", "answered"],
    ["busy", "busy"],
    ["no-answer", "missed"],
    ["canceled", "missed"],
    ["failed", "failed"],
    ["exploded", undefined],
    ["", undefined],
  ])("the dialed leg is %s", (CallStatus, outcome) => {
    const [event, ...others] = readEvents(kind, "dialedLeg", { CallStatus }) as readonly CallEvent[];
    expect(others).toEqual([]);
    if (outcome === undefined) expect(event).toBeUndefined();
    else if (outcome === "connected")
      expect(event).toMatchObject({ kind: "dialed_leg", step: "fallback", end: undefined });
    else expect(event).toMatchObject({ kind: "dialed_leg", step: "fallback", end: { outcome } });
  });

  // CallStatus of the caller's leg: its outcome; null for a leg that goes on.
  test.each<[string, string | undefined | null]>([
    ["initiated", null],
    ["ringing", null],
    ["in-progress", null],
    ["answered", null],
    ["completed", undefined],
    ["busy", "busy"],
    ["no-answer", "missed"],
    ["canceled", "missed"],
    ["failed", "failed"],
    ["exploded", null],
  ])("the caller's leg is %s", (CallStatus, outcome) => {
    const endedAt = kind === "signalwire" ? ARRIVED_AT : at("50");
    const expected = outcome === null ? [] : [{ kind: "caller_leg", endedAt, outcome }];
    expect(readEvents(kind, "callerLeg", { CallStatus })).toEqual(expected);
  });

  // DialCallStatus, DialBridged: the outcome.
  test.each([
    ["completed", "true", "answered"],
    ["completed", "", "answered"],
    ["completed", "false", "missed"],
    ["answered", "true", "answered"],
    ["answered", "false", "missed"],
    ["busy", "false", "busy"],
    ["busy", "", "busy"],
    ["no-answer", "false", "missed"],
    ["canceled", "false", "missed"],
    ["failed", "false", "failed"],
    ["exploded", "", "failed"],
    ["in-progress", "", "answered"],
    ["", "", "failed"],
  ])("the dial is %s, bridged: %s", (DialCallStatus, DialBridged, outcome) => {
    expect(readResult(kind, { DialCallStatus, DialBridged })).toEqual({
      ...{ outcome, endedAt: ARRIVED_AT, answeredAt: undefined, durationSeconds: 42 },
      isCallerGone: DialCallStatus === "canceled",
    });
  });

  test.each([
    ["in-progress", false],
    ["answered", false],
    ["completed", true],
    ["no-answer", true],
    ["", false],
  ])("the caller's leg is %s after a dial", (CallStatus, isCallerGone) => {
    expect(readResult(kind, { CallStatus, DialCallStatus: "no-answer" })).toMatchObject({ isCallerGone });
  });

  test("a recording", () => {
    const { RecordingSid: recordingId, RecordingUrl: url } = requests.recording;
    const expiresAt = kind === "telnyx" ? new Date(ARRIVED_AT.getTime() + 600_000) : undefined;
    const event = { kind: "recording", step: "fallback", recordingId, url, expiresAt };
    expect(readEvents(kind, "recording")).toEqual([event]);
    for (const other of [
      ...["in-progress", "absent", "failed", ""].map((RecordingStatus) => ({ RecordingStatus })),
      ...["", "x", "http://example.com/a", "javascript:alert(1)"].map((RecordingUrl) => ({ RecordingUrl })),
      ...[`https://example.com/${"a".repeat(2000)}`, "https://example.com/\0"].map((RecordingUrl) => ({
        RecordingUrl,
      })),
      { RecordingSid: "" },
    ]) {
      expect(readEvents(kind, "recording", other)).toEqual([]);
    }
  });
});

test("SignalWire's time is that of the call's creation, so that reports end at their arrival", () => {
  const Timestamp = "Thu, 26 Nov 2026 10:00:00 +0000";
  for (const request of ["dialedLeg", "callerLeg"] as const) {
    const [event] = readEvents("signalwire", request, { Timestamp }) ?? [];
    const ended = request === "dialedLeg" ? { end: { at: ARRIVED_AT } } : { endedAt: ARRIVED_AT };
    expect(event).toMatchObject(ended);
  }
});

test("times and sequence numbers of the dialed leg", () => {
  const facts = { kind: "dialed_leg", step: "fallback" };
  const end = (time: Date) => ({ end: { at: time, outcome: "answered" } });
  expect(readEvents("twilio", "dialedLeg")).toEqual([
    { ...facts, sequence: 2, answeredAt: undefined, ...end(at("42")) },
  ]);
  expect(readEvents("telnyx", "dialedLeg")).toEqual([
    { ...facts, sequence: 3, answeredAt: at("00"), ...end(at("42.731")) },
  ]);
  const unknown = { sequence: undefined, answeredAt: undefined };
  expect(readEvents("signalwire", "dialedLeg")).toEqual([{ ...facts, ...unknown, ...end(ARRIVED_AT) }]);
  const answered = { CallStatus: "in-progress", SequenceNumber: "1", Timestamp: "Thu, 26 Nov 2026 10:00:02 +0000" };
  expect(readEvents("twilio", "dialedLeg", answered)).toEqual([
    { ...facts, sequence: 1, answeredAt: at("02"), end: undefined },
  ]);
});

// HangupCause of a completed leg of Telnyx that names no time of an answer.
test.each([
  ["normal_clearing", "answered"],
  ["user_busy", "busy"],
  ["call_rejected", "busy"],
  ["no_answer", "missed"],
  ["timeout", "missed"],
  ["originator_cancel", "missed"],
  ["not_found", "failed"],
  ["", "answered"],
])("Telnyx' hang-up cause %s", (HangupCause, outcome) => {
  const [event] = readEvents("telnyx", "dialedLeg", { HangupCause, AnsweredTime: "" }) ?? [];
  expect(event).toMatchObject({ end: { outcome } });
  const [answered] = readEvents("telnyx", "dialedLeg", { HangupCause }) ?? [];
  expect(answered).toMatchObject({ end: { outcome: "answered" } });
});

test.each<[string, Date]>([
  ["Thu, 26 Nov 2026 10:00:42 +0000", at("42")],
  ["Thu, 26 Nov 2026 11:00:42 +0100", at("42")],
  ["Thu, 26 Nov 2026 10:00:42 GMT", at("42")],
  ["2026-11-26T10:00:42Z", at("42")],
  ["2026-11-26 10:00:42.731479Z", at("42.731")],
  ["2026-11-26T05:00:42.5-05:00", at("42.5")],
  // A day late, as from a phone system that repeats its reports.
  ["2026-11-25T10:00:42Z", new Date("2026-11-25T10:00:42Z")],
  // These count as absent: the time is that of arrival.
  ["", ARRIVED_AT],
  ["yesterday", ARRIVED_AT],
  ["1", ARRIVED_AT],
  ["November 2026", ARRIVED_AT],
  ["2026-11-26T10:00:42", ARRIVED_AT],
  ["2026-11-26T11:00:42Z", ARRIVED_AT],
  ["2026-10-26T10:00:42Z", ARRIVED_AT],
  ["2026-13-45T99:00:42Z", ARRIVED_AT],
  ["+275760-09-13T00:00:00Z", ARRIVED_AT],
  ["9".repeat(400), ARRIVED_AT],
])("the time %s", (Timestamp, endedAt) => {
  expect(readEvents("telnyx", "callerLeg", { Timestamp })).toEqual([
    { kind: "caller_leg", endedAt, outcome: undefined },
  ]);
});

test("fields with absurd values count as absent, and of several values the first counts", () => {
  for (const value of ["", "x".repeat(65_536), "a\0b", "a\nb", "\u0085"]) {
    const call = { providerCallId: undefined, from: undefined, to: undefined, redirections: undefined };
    const fields = { CallSid: value, From: value, To: value, ForwardedFrom: value };
    expect(read("twilio", "voice", fields)).toMatchObject({ call });
  }
  const several = new URLSearchParams("CallSid=CA1&CallSid=CA2&From=%2B14155550123&From=x");
  const webhook = readProviderWebhook("twilio", "voice", several, "original", ARRIVED_AT);
  expect(webhook.call).toMatchObject({ providerCallId: "CA1", from: "+14155550123" });
  for (const DialCallDuration of ["-1", "1e3", "99999999999999999999", "Infinity", "1.5", "x", ""]) {
    expect(readResult("twilio", { DialCallDuration })).toMatchObject({ durationSeconds: undefined });
  }
});

describe("a phone system of one's own", () => {
  const CALL = { call_id: "843817637684230@998sdasdh09", to: "sip:+12223334444@pbx.example", from: "4155550123" };
  const status = (fields: Fields) => {
    const webhook = readSipWebhook("status", new URLSearchParams({ ...CALL, ...fields }), ARRIVED_AT);
    return "events" in webhook ? webhook.events : undefined;
  };

  test("a new call", () => {
    const headers = { asserted_identity: '"J" <tel:+14155550123>', privacy: "id", diversion: "<sip:+13105550199@pbx>" };
    expect(readSipWebhook("voice", new URLSearchParams({ ...CALL, ...headers }), ARRIVED_AT)).toEqual({
      page: "voice",
      report: undefined,
      call: {
        ...{ providerCallId: CALL.call_id, to: CALL.to, from: CALL.from, isCallerNamed: true },
        ...{ assertedIdentity: headers.asserted_identity, privacy: "id", redirections: headers.diversion },
      },
    });
  });

  const times = { answered_at: "1795687205.25", ended_at: "2026-11-26T10:00:42Z" };

  test("a number answered", () => {
    const event = { kind: "dialed_leg", step: "original", sequence: undefined, end: undefined };
    expect(status({ event: "answered" })).toEqual([{ ...event, answeredAt: ARRIVED_AT }]);
    const answeredAt = new Date(1_795_687_205_250);
    expect(status({ event: "answered", step: "fallback", ...times })).toEqual([
      { ...event, step: "fallback", answeredAt },
    ]);
  });

  test.each<[Fields, string]>([
    [{ sip_status: "200" }, "answered"],
    [{ sip_status: "486" }, "busy"],
    [{ sip_status: "603" }, "busy"],
    [{ sip_status: "408" }, "missed"],
    [{ sip_status: "487" }, "missed"],
    [{ sip_status: "503" }, "failed"],
    [{ dial_status: "ANSWER" }, "answered"],
    [{ dial_status: "CHANUNAVAIL" }, "failed"],
    [{ dial_status: "DONTCALL" }, "missed"],
    [{ ...times, sip_status: "999" }, "answered"],
    [{ dial_status: "exploded" }, "missed"],
    [{}, "missed"],
  ])("a call ended: %j", (fields, outcome) => {
    const [event] = status({ event: "ended", step: "fallback", ended_at: times.ended_at, ...fields }) ?? [];
    expect(event).toMatchObject({ kind: "dial_result", step: "fallback", outcome, endedAt: at("42") });
  });

  test("a call ended before a number was dialed", () => {
    expect(status({ event: "ended", sip_status: "487" })).toEqual([
      { kind: "caller_leg", endedAt: ARRIVED_AT, outcome: "missed" },
    ]);
  });

  test.each(["", "ringing", "Ended"])("no event follows from %j", (event) => {
    expect(status({ event, step: "original", sip_status: "200" })).toEqual([]);
  });

  test("a report that needs no earlier request", () => {
    const fields = { ...CALL, event: "ended", started_at: "2026-11-26T10:00:00Z" };
    const webhook = readSipWebhook("status", new URLSearchParams(fields), ARRIVED_AT);
    expect(webhook).toMatchObject({
      report: undefined,
      startedAt: at("00"),
      call: { isCallerNamed: true, to: CALL.to },
    });
  });

  test("a recording", () => {
    const read = (fields: Fields) => readSipWebhook("recording", new URLSearchParams(fields), ARRIVED_AT);
    const url = "https://pbx.example/1.wav";
    const event = { kind: "recording", step: "original", recordingId: "1", url, expiresAt: undefined };
    expect(read({ call_id: "1", recording_id: "1", recording_url: url })).toMatchObject({ events: [event] });
    expect(read({ call_id: "1", recording_id: "1", recording_url: "file:///1.wav" })).toMatchObject({ events: [] });
  });
});

test("no form throws, and times and texts are always usable", () => {
  const forms = KINDS.flatMap((kind) => Object.values<Fields>(PROVIDER_REQUESTS[kind]));
  const names = [...new Set(forms.flatMap((each) => Object.keys(each)))];
  const sipNames = ["call_id", "to", "from", "event", "step", "sip_status", "dial_status", "started_at", "ended_at"];
  const values = forms.flatMap((each) => Object.values(each));
  const value = fc.oneof(
    fc.constantFrom(...values, "false", "ended", "answered", "busy", "\0", "-1", "1e400", "9".repeat(20)),
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.nat(70_000).map((length) => "9".repeat(length)),
  );
  const form = fc.array(fc.tuple(fc.constantFrom(...names, ...sipNames), value), { maxLength: 30 });
  const pages = ["voice", "dial", "status", "recording", "whisper"] as const;
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), fc.constantFrom(...pages), form, (kind, page, pairs) => {
      const parsed = new URLSearchParams(pairs);
      const webhooks: (ProviderWebhook | SipWebhook)[] = [
        readProviderWebhook(kind, page, parsed, "original", ARRIVED_AT),
      ];
      if (page !== "dial" && page !== "whisper") webhooks.push(readSipWebhook(page, parsed, ARRIVED_AT));
      // Invalid dates cannot be written as JSON.
      const json = JSON.stringify(webhooks, (_, each) => (each instanceof Date ? each.toISOString() : each));
      expect(json).not.toMatch(/\\u0000|NaN/);
      expect(json.length).toBeLessThan(40_000);
    }),
    { numRuns: 3000 },
  );
});
