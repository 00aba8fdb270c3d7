import type { LegName } from "@calltrack/domain";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../../testing/any-character.js";
import { ARRIVED_AT, PROVIDER_REQUESTS } from "../../testing/provider-requests.js";
import type { WebhookName } from "../webhook-request.js";
import type { ProviderKind } from "./provider-traits.js";
import { readProviderWebhook } from "./read-provider-webhook.js";
import { readSipWebhook } from "./read-sip-webhook.js";

type Fields = Readonly<Record<string, string>>;

const ARRIVED = ARRIVED_AT.toISOString();

/** The expected end of a leg if the report contains no time. */
const ARRIVED_END = { endedAt: ARRIVED, isEndArrival: true };

const RETENTION_MS = 400 * 86_400_000;

const KINDS = ["twilio", "signalwire", "telnyx"] as const;

const at = (seconds: string) => `2026-11-26T10:00:${seconds.padEnd(6, seconds.includes(".") ? "0" : ".000")}Z`;

function read(kind: ProviderKind, page: WebhookName, fields: Fields, leg: LegName = "original") {
  return readProviderWebhook(kind, page, new URLSearchParams(fields), leg, ARRIVED_AT);
}

/** Returns the expected end of a leg. A canceled leg counts as abandoned, because the caller hung up first. */
function endOf(status: string, outcome: string) {
  return { outcome, ...(status === "canceled" && { isAbandoned: true }) };
}

/** Reads a documented request with some replaced fields, as a report about the leg of the fallback number. */
function readReport(kind: ProviderKind, request: "dialedLeg" | "callerLeg" | "recording", fields: Fields = {}) {
  const page = request === "recording" ? "recording" : "status";
  return read(kind, page, { ...PROVIDER_REQUESTS[kind][request], ...fields }, "fallback").evidence;
}

function readDial(kind: ProviderKind, fields: Fields) {
  return read(kind, "dial", { ...PROVIDER_REQUESTS[kind].dial, ...fields });
}

describe.each(KINDS)("%s", (kind) => {
  const requests = PROVIDER_REQUESTS[kind];
  const callSid = requests.voice.CallSid;

  test("a new call", () => {
    expect(read(kind, "voice", requests.voice)).toEqual({
      ...{ providerCallId: callSid, to: "+12223334444", from: "+14155550123", isCallerNamed: true },
      ...{ assertedIdentity: undefined, privacy: undefined, reference: undefined, startedAt: undefined },
      redirections: kind === "telnyx" ? undefined : "+13105550199",
      evidence: kind === "twilio" ? { callerAttestation: "TN-Validation-Passed-A" } : {},
      ...{ isCallerGone: false, digits: undefined },
    });
  });

  test("requests about the dialed leg name the call, or nothing", () => {
    const expected = { providerCallId: kind === "signalwire" ? undefined : callSid, isCallerNamed: false };
    expect(read(kind, "status", requests.dialedLeg)).toMatchObject(expected);
    expect(read(kind, "whisper", requests.whisper)).toMatchObject({ ...expected, digits: "1" });
    expect(read(kind, "recording", requests.recording)).toMatchObject({
      providerCallId: callSid,
      isCallerNamed: false,
    });
    const { CallSid = "" } = requests.voice;
    const message = { CallSid, RecordingStatus: "completed", RecordingUrl: "https://provider.example/1" };
    expect(read(kind, "voicemail", message)).toMatchObject({ providerCallId: callSid, isCallerNamed: false });
  });

  test("each leg of a step has its own report, and the step has one result", () => {
    const answered = { ...requests.dialedLeg, CallStatus: "in-progress" };
    expect(Object.keys(read(kind, "status", answered, "2.1").evidence.dialedLegs ?? {})).toEqual(["2.1"]);
    expect(Object.keys(read(kind, "dial", requests.dial, "2").evidence.dialResults ?? {})).toEqual(["2"]);
    expect(read(kind, "recording", requests.recording, "2").evidence.recording?.step).toBe("2");
  });

  // CallStatus of the dialed leg, and its outcome: "connected" if the leg continues, undefined if nothing is reported.
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
    const report = readReport(kind, "dialedLeg", { CallStatus });
    if (outcome === undefined) expect(report).toEqual({});
    else if (outcome === "connected")
      expect(report).toEqual({
        dialedLegs: {
          fallback: { answeredAt: expect.any(String), ...(kind === "signalwire" && { isAnswerArrival: true }) },
        },
      });
    else
      expect(report).toMatchObject({
        dialedLegs: { fallback: { endedAt: expect.any(String), ...endOf(CallStatus, outcome) } },
      });
  });

  // CallStatus of the caller's leg, and its outcome: null if the leg continues.
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
    const end = kind === "signalwire" ? ARRIVED_END : { endedAt: at("50") };
    const expected = outcome === null ? {} : { callerLeg: { ...end, ...(outcome && endOf(CallStatus, outcome)) } };
    expect(readReport(kind, "callerLeg", { CallStatus })).toStrictEqual(expected);
  });

  // DialCallStatus, DialBridged, and the outcome.
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
    const { evidence, isCallerGone } = readDial(kind, { DialCallStatus, DialBridged });
    expect(evidence).toStrictEqual({
      dialResults: { original: { ...endOf(DialCallStatus, outcome), ...ARRIVED_END, durationSeconds: 42 } },
    });
    expect(isCallerGone).toBe(DialCallStatus === "canceled");
  });

  test.each([
    ["in-progress", false],
    ["answered", false],
    ["completed", true],
    ["no-answer", true],
    ["", false],
  ])("the caller's leg is %s after a dial", (CallStatus, isCallerGone) => {
    expect(readDial(kind, { CallStatus, DialCallStatus: "no-answer" })).toMatchObject({ isCallerGone });
  });

  test("a recording", () => {
    const { RecordingSid: id, RecordingUrl: url } = requests.recording;
    const expiry = kind === "telnyx" && { expiresAt: new Date(ARRIVED_AT.getTime() + 600_000).toISOString() };
    expect(readReport(kind, "recording")).toStrictEqual({ recording: { step: "fallback", id, url, ...expiry } });
    for (const other of [
      ...["in-progress", "absent", "failed", ""].map((RecordingStatus) => ({ RecordingStatus })),
      ...["", "x", "http://example.com/a", "javascript:alert(1)"].map((RecordingUrl) => ({ RecordingUrl })),
      ...[`https://example.com/${"a".repeat(2000)}`, "https://example.com/\0"].map((RecordingUrl) => ({
        RecordingUrl,
      })),
      { RecordingSid: "" },
    ]) {
      expect(readReport(kind, "recording", other)).toEqual({});
    }
  });
});

test("the attestation of a caller can be in a header, as with Telnyx", () => {
  const header = '"John Doe" <sip:+18889809750@sip.telnyx.com;verstat=TN-Validation-Passed-B>';
  const voice = { ...PROVIDER_REQUESTS.telnyx.voice, "SipHeader_P-Asserted-Identity": header };
  expect(read("telnyx", "voice", voice).evidence).toEqual({ callerAttestation: "TN-Validation-Passed-B" });
});

test("SignalWire's time is that of the call's creation, so that reports end at their arrival", () => {
  const Timestamp = "Thu, 26 Nov 2026 10:00:00 +0000";
  expect(readReport("signalwire", "dialedLeg", { Timestamp })).toMatchObject({
    dialedLegs: { fallback: ARRIVED_END },
  });
  expect(readReport("signalwire", "callerLeg", { Timestamp })).toEqual({ callerLeg: ARRIVED_END });
  const voice = { ...PROVIDER_REQUESTS.signalwire.voice, Timestamp };
  expect(read("signalwire", "voice", voice).startedAt).toBe(at("00"));
  expect(read("twilio", "voice", voice).startedAt).toBeUndefined();
});

test("times and sequence numbers of the dialed leg", () => {
  const leg = (facts: object) => ({ dialedLegs: { fallback: facts } });
  expect(readReport("twilio", "dialedLeg")).toMatchObject(leg({ sequence: 2, endedAt: at("42"), outcome: "answered" }));
  expect(readReport("telnyx", "dialedLeg")).toMatchObject(
    leg({ sequence: 3, answeredAt: at("00"), endedAt: at("42.731"), outcome: "answered" }),
  );
  expect(readReport("signalwire", "dialedLeg")).toMatchObject(leg({ ...ARRIVED_END, outcome: "answered" }));
  expect(readReport("twilio", "dialedLeg", { CallDuration: "40" })).toMatchObject(leg({ durationSeconds: 40 }));
  const answered = { CallStatus: "in-progress", SequenceNumber: "1", Timestamp: "Thu, 26 Nov 2026 10:00:02 +0000" };
  expect(readReport("twilio", "dialedLeg", answered)).toStrictEqual(leg({ answeredAt: at("02") }));
});

// HangupCause of a completed Telnyx leg without the time of an answer.
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
  expect(readReport("telnyx", "dialedLeg", { HangupCause, AnsweredTime: "" })).toMatchObject({
    dialedLegs: { fallback: { outcome } },
  });
  expect(readReport("telnyx", "dialedLeg", { HangupCause })).toMatchObject({
    dialedLegs: { fallback: { outcome: "answered" } },
  });
});

test.each([
  ["Thu, 26 Nov 2026 10:00:42 +0000", at("42")],
  ["Thu, 26 Nov 2026 11:00:42 +0100", at("42")],
  ["Thu, 26 Nov 2026 10:00:42 GMT", at("42")],
  ["2026-11-26T10:00:42Z", at("42")],
  ["2026-11-26 10:00:42.731479Z", at("42.731")],
  ["2026-11-26T05:00:42.5-05:00", at("42.5")],
  // A day late, like a report that a phone system repeats.
  ["2026-11-25T10:00:42Z", "2026-11-25T10:00:42.000Z"],
  // The times in the following rows count as absent, so the time of arrival replaces them.
  ["", ARRIVED],
  ["yesterday", ARRIVED],
  ["1", ARRIVED],
  ["November 2026", ARRIVED],
  ["2026-11-26T10:00:42", ARRIVED],
  ["2026-11-26T11:00:42Z", ARRIVED],
  ["2026-10-26T10:00:42Z", ARRIVED],
  ["2026-13-45T99:00:42Z", ARRIVED],
  ["+275760-09-13T00:00:00Z", ARRIVED],
  ["9".repeat(400), ARRIVED],
])("the time %s", (Timestamp, endedAt) => {
  const end = endedAt === ARRIVED ? ARRIVED_END : { endedAt };
  expect(readReport("telnyx", "callerLeg", { Timestamp })).toStrictEqual({ callerLeg: end });
});

test.each(["2027-02-29T10:00:00Z", "2027-02-30 10:00:00Z", "Mon, 29 Feb 2027 10:00:00 +0000"])(
  "a day that does not exist: %s",
  (ended_at) => {
    const now = new Date("2027-03-02T12:00:00Z");
    const { evidence } = readSipWebhook("status", new URLSearchParams({ event: "ended", ended_at }), now, RETENTION_MS);
    const end = { endedAt: now.toISOString(), isEndArrival: true };
    expect(evidence).toEqual({ callerLeg: end });
  },
);

test("fields with absurd values count as absent, and of several values the first counts", () => {
  for (const value of ["", "x".repeat(65_536), "a\0b", "a\nb", "\u0085"]) {
    const absent = { providerCallId: undefined, from: undefined, to: undefined, redirections: undefined };
    const fields = { CallSid: value, From: value, To: value, ForwardedFrom: value };
    expect(read("twilio", "voice", fields)).toMatchObject(absent);
  }
  const several = new URLSearchParams("CallSid=CA1&CallSid=CA2&From=%2B14155550123&From=x");
  const webhook = readProviderWebhook("twilio", "voice", several, "original", ARRIVED_AT);
  expect(webhook).toMatchObject({ providerCallId: "CA1", from: "+14155550123" });
  for (const DialCallDuration of ["-1", "1e3", "99999999999999999999", "86401", "Infinity", "1.5", "x", ""]) {
    expect(readDial("twilio", { DialCallDuration }).evidence).toStrictEqual({
      dialResults: { original: { outcome: "answered", ...ARRIVED_END } },
    });
  }
});

describe("an operator's own phone system", () => {
  const CALL = { call_id: "843817637684230@998sdasdh09", to: "sip:+12223334444@pbx.example", from: "4155550123" };
  const status = (fields: Fields) =>
    readSipWebhook("status", new URLSearchParams({ ...CALL, ...fields }), ARRIVED_AT, RETENTION_MS).evidence;

  test("a new call", () => {
    const headers = { asserted_identity: '"J" <tel:+14155550123>', privacy: "id", diversion: "<sip:+13105550199@pbx>" };
    expect(readSipWebhook("voice", new URLSearchParams({ ...CALL, ...headers }), ARRIVED_AT, RETENTION_MS)).toEqual({
      ...{ providerCallId: CALL.call_id, to: CALL.to, from: CALL.from, isCallerNamed: true },
      ...{ assertedIdentity: headers.asserted_identity, privacy: "id", redirections: headers.diversion },
      ...{ reference: undefined, startedAt: undefined, evidence: {}, isCallerGone: false, digits: undefined },
    });
  });

  test.each<[Fields, string | undefined]>([
    [{ asserted_identity: "<sip:+14155550123@pbx;verstat=TN-Validation-Passed>" }, "TN-Validation-Passed"],
    [{ asserted_identity: "<tel:+14155550123;verstat=No-TN-Validation>" }, "No-TN-Validation"],
    [{ from: '"J" <sip:+14155550123@pbx; Verstat="TN-Validation-Failed-C">;tag=1' }, "TN-Validation-Failed-C"],
    [
      { asserted_identity: "<sip:+1@pbx>", from: "<sip:+1@pbx;verstat=TN-Validation-Passed-B>" },
      "TN-Validation-Passed-B",
    ],
    // Orange sends `verstat` as a parameter of the user part.
    [{ asserted_identity: "<sip:+33969979518;verstat=TN-Validation-Passed@host:5060>" }, "TN-Validation-Passed"],
    [{ asserted_identity: "<sip:+14155550123@pbx;verstat=<script>>" }, undefined],
    [{ asserted_identity: `<sip:+1@pbx;verstat=${"A".repeat(65)}>` }, undefined],
    [{ from: "sip:verstat=Passed@pbx" }, undefined],
  ])("the attestation of a caller: %j", (fields, callerAttestation) => {
    const form = new URLSearchParams({ ...CALL, ...fields });
    expect(readSipWebhook("voice", form, ARRIVED_AT, RETENTION_MS).evidence).toEqual({
      ...(callerAttestation && { callerAttestation }),
    });
  });

  const times = { answered_at: "1795687205.25", ended_at: "2026-11-26T10:00:42Z" };

  test("a number answered", () => {
    expect(status({ event: "answered" })).toEqual({
      dialedLegs: { original: { answeredAt: ARRIVED, isAnswerArrival: true } },
    });
    const answeredAt = new Date(1_795_687_205_250).toISOString();
    for (const step of ["fallback", "original.1", "2"] as const) {
      expect(status({ event: "answered", step, ...times })).toEqual({ dialedLegs: { [step]: { answeredAt } } });
    }
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
    expect(status({ event: "ended", step: "fallback", ended_at: times.ended_at, ...fields })).toMatchObject({
      dialResults: { fallback: { outcome, endedAt: at("42") } },
    });
  });

  test("a call ended that one of several numbers of a step answered", () => {
    expect(status({ event: "ended", step: "2.1", sip_status: "200" })).toMatchObject({
      dialResults: { 2: { outcome: "answered" } },
    });
  });

  test("a call ended before a number was dialed", () => {
    expect(status({ event: "ended", sip_status: "487" })).toEqual({
      callerLeg: { ...ARRIVED_END, outcome: "missed", isAbandoned: true },
    });
    // The caller hung up during the prompt, or the phone system played no prompt: the report does not tell.
    expect(status({ event: "ended" })).toEqual({ callerLeg: ARRIVED_END });
    expect(status({ event: "ended", ...times })).toMatchObject({ callerLeg: { outcome: "answered" } });
  });

  test.each<[Fields, boolean]>([
    [{ sip_status: "200" }, true],
    [{ dial_status: "ANSWER" }, true],
    [{ answered_at: times.answered_at, sip_status: "487" }, true],
    [{ sip_status: "200", step: "primary" }, true],
    [{ sip_status: "200", step: "fallback" }, false],
    [{ sip_status: "486" }, false],
    [{}, false],
  ])("an end that may lack its step or not: %j", (fields, isProblem) => {
    const form = new URLSearchParams({ ...CALL, event: "ended", ...fields } as Record<string, string>);
    expect(readSipWebhook("status", form, ARRIVED_AT, RETENTION_MS).problem !== undefined).toBe(isProblem);
  });

  test("headers in several lines", () => {
    const lines: [string, string][] = [
      ["diversion", "<sip:+1@a>"],
      ["diversion", "<sip:+2@a>"],
      ["history_info", "<sip:+3@a>;index=1, <sip:+4@a>;index=1.1"],
      ["history_info", "<sip:+5@a>;index=1.2"],
      ["asserted_identity", "<sip:anna@a>"],
      ["asserted_identity", "<tel:+6>"],
    ];
    expect(readSipWebhook("voice", new URLSearchParams(lines), ARRIVED_AT, RETENTION_MS)).toMatchObject({
      redirections: "<sip:+1@a>,<sip:+2@a>,<sip:+5@a>;index=1.2, <sip:+4@a>;index=1.1,<sip:+3@a>;index=1",
      assertedIdentity: "<sip:anna@a>,<tel:+6>",
    });
  });

  test.each(["", "ringing", "Ended"])("nothing follows from the event %j", (event) => {
    expect(status({ event, step: "original", sip_status: "200" })).toEqual({});
  });

  test("a report that needs no earlier request", () => {
    const fields = { ...CALL, event: "ended", started_at: "2026-11-26T10:00:00Z" };
    const webhook = readSipWebhook("status", new URLSearchParams(fields), ARRIVED_AT, RETENTION_MS);
    expect(webhook).toMatchObject({ reference: undefined, startedAt: at("00"), isCallerNamed: true, to: CALL.to });
  });

  test.each([
    ["a year late", "2025-12-01T00:00:00Z", "2025-12-01T00:00:00.000Z"],
    ["earlier than calls are kept", "2025-10-01T00:00:00Z", undefined],
    ["4 minutes ahead", at("42").replace("10:00", "10:04"), at("42").replace("10:00", "10:04")],
    ["an hour ahead", "2026-11-26T11:00:42Z", undefined],
  ])("a start that is %s", (_, started_at, startedAt) => {
    const form = new URLSearchParams({ ...CALL, started_at });
    expect(readSipWebhook("voice", form, ARRIVED_AT, RETENTION_MS).startedAt).toBe(startedAt);
  });

  test("a recording", () => {
    const evidenceOf = (fields: Fields) =>
      readSipWebhook("recording", new URLSearchParams({ call_id: "1", ...fields }), ARRIVED_AT, RETENTION_MS).evidence;
    const url = "https://pbx.example/1.wav";
    expect(evidenceOf({ recording_id: "1", recording_url: url })).toEqual({ recording: { id: "1", url } });
    expect(evidenceOf({ recording_url: url, step: "fallback" })).toEqual({
      recording: { step: "fallback", id: url, url },
    });
    expect(evidenceOf({ recording_id: "1", recording_url: "file:///1.wav" })).toEqual({});
  });
});

test("no form throws, and times and texts are always usable", () => {
  const forms = KINDS.flatMap((kind) => Object.values<Fields>(PROVIDER_REQUESTS[kind]));
  const names = [...new Set(forms.flatMap((each) => Object.keys(each)))];
  const sipNames = ["call_id", "to", "from", "event", "step", "sip_status", "dial_status", "started_at", "ended_at"];
  const values = forms.flatMap((each) => Object.values(each));
  const value = fc.oneof(
    fc.constantFrom(...values, "false", "ended", "answered", "busy", "\0", "-1", "1e400", "9".repeat(20)),
    fc.string({ unit: anyCharacter, maxLength: 30 }),
    fc.nat(70_000).map((length) => "9".repeat(length)),
  );
  const form = fc.array(fc.tuple(fc.constantFrom(...names, ...sipNames), value), { maxLength: 30 });
  const pages = ["voice", "dial", "status", "recording", "whisper"] as const;
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), fc.constantFrom(...pages), form, (kind, page, pairs) => {
      const parsed = new URLSearchParams(pairs);
      const webhooks = [
        readProviderWebhook(kind, page, parsed, "original", ARRIVED_AT),
        readSipWebhook(page, parsed, ARRIVED_AT, RETENTION_MS),
      ];
      const json = JSON.stringify(webhooks);
      expect(json).not.toMatch(/\\u0000|NaN/);
      expect(json.length).toBeLessThan(40_000);
    }),
    { numRuns: 3000 },
  );
});
