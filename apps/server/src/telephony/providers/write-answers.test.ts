import type { CallPlan, DialInstruction } from "@calltrack/domain";
import { DOMParser, type Element } from "@xmldom/xmldom";
import fc from "fast-check";
import twilio from "twilio";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../../testing/any-character.js";
import { writePbxVoiceResponse } from "./write-pbx-voice-response.js";
import { writeDialTwiml, writeFallbackTwiml, writeVoiceTwiml, writeWhisperTwiml } from "./write-twiml.js";
import { writeXml } from "./xml.js";

const { VoiceResponse } = twilio.twiml;

const urlOf = (page: string, step = "none") => `https://calls.example.com/telephony/1/${page}?account=7&step=${step}`;

/** The URL fragment that makes Twilio retry a failed request. */
const RETRIES = "#rc=3&rp=ct,rt,5xx";

const DIAL: DialInstruction = {
  ...{ step: "original", targets: [{ leg: "original", destination: "+12125550100" }], callerId: "+14155550123" },
  ...{ ringSeconds: 20, maxSeconds: 14_400 },
  ...{ whisper: undefined, acceptDigit: undefined, recording: undefined },
};
const FALLBACK: DialInstruction = {
  ...DIAL,
  ...{ step: "fallback", targets: [{ leg: "fallback", destination: "+12125550199" }], callerId: "+12223334444" },
};
/** A dial that rings two numbers at once. */
const GROUP: DialInstruction = {
  ...DIAL,
  step: "2",
  targets: [
    { leg: "2", destination: "+12125550101" },
    { leg: "2.1", destination: "+12125550102" },
  ],
};
const WHISPER = { text: "Call from google", language: "en-US" };

type DialPlan = Extract<CallPlan, { kind: "dial" }>;

const planOf = (plan: Partial<DialPlan>): CallPlan => ({
  kind: "dial",
  prompt: undefined,
  ...{ dials: [DIAL], voicemail: undefined, notes: [] },
  ...plan,
});

describe("the voice answer is what Twilio's builder writes", () => {
  test("a dial first", () => {
    const response = new VoiceResponse();
    response
      .dial({
        ...{ action: urlOf("dial", "original") + RETRIES, timeout: 15, timeLimit: 14_400, callerId: "+14155550123" },
        answerOnBridge: true,
      })
      .number(
        { statusCallback: urlOf("status", "original") + RETRIES, statusCallbackEvent: ["answered", "completed"] },
        "+12125550100",
      );
    expect(writeVoiceTwiml("twilio", planOf({ dials: [DIAL, FALLBACK] }), urlOf)).toBe(response.toString());
  });

  test("a prompt, a whisper and a recording", () => {
    const response = new VoiceResponse();
    response.say({ language: "de-DE" }, 'Müller & Söhne: <"Gespräche"> werden aufgezeichnet.');
    response
      .dial({
        ...{ action: urlOf("dial", "original") + RETRIES, timeout: 15, timeLimit: 60, callerId: "+14155550123" },
        ...{ record: "record-from-answer-dual", recordingStatusCallback: urlOf("recording", "original") + RETRIES },
        recordingStatusCallbackEvent: ["completed"],
      })
      .number(
        {
          ...{ url: urlOf("whisper", "original") + RETRIES, statusCallback: urlOf("status", "original") + RETRIES },
          statusCallbackEvent: ["answered", "completed"],
        },
        "+12125550100",
      );
    const prompt = { text: 'Müller & Söhne: <"Gespräche"> werden aufgezeichnet.', language: "de-DE" };
    const dial = { ...DIAL, whisper: WHISPER, recording: "dual", maxSeconds: 60 } as const;
    expect(parse(writeVoiceTwiml("twilio", planOf({ prompt, dials: [dial] }), urlOf))).toEqual(
      parse(response.toString()),
    );
  });

  test("a sound, and a call to a closed business", () => {
    const response = new VoiceResponse();
    response.play("https://example.com/closed.mp3?a=1&b=2");
    response.hangup();
    const announcement = { url: "https://example.com/closed.mp3?a=1&b=2", language: "en-US" };
    const plan: CallPlan = { kind: "hang_up", announcement, notes: [] };
    expect(writeVoiceTwiml("twilio", plan, urlOf)).toBe(response.toString());
    expect(parse(writeVoiceTwiml("twilio", { ...plan, announcement: undefined }, urlOf)).children).toEqual([
      verb("Hangup"),
    ]);
  });

  test("a rejected call", () => {
    const response = new VoiceResponse();
    response.reject({ reason: "busy" });
    expect(writeVoiceTwiml("telnyx", { kind: "reject", reason: "LOOP", notes: [] }, urlOf)).toBe(response.toString());
  });

  test("the next number, and the end of the call", () => {
    const response = new VoiceResponse();
    response
      .dial({ action: urlOf("dial", "fallback"), timeout: 20, timeLimit: 14_400, callerId: "+12223334444" })
      .number(
        { statusCallback: urlOf("status", "fallback"), statusCallbackEvent: ["answered", "completed"] },
        "+12125550199",
      );
    expect(writeDialTwiml("signalwire", FALLBACK, urlOf)).toBe(response.toString());
    expect(writeDialTwiml("signalwire", undefined, urlOf)).toBe(new VoiceResponse().toString());
  });

  test("numbers that ring at once, each with its own reports", () => {
    const response = new VoiceResponse();
    const dial = response.dial({
      action: urlOf("dial", "2"),
      timeout: 20,
      timeLimit: 14_400,
      callerId: "+14155550123",
    });
    for (const [leg, number] of [
      ["2", "+12125550101"],
      ["2.1", "+12125550102"],
    ] as const) {
      dial.number({ statusCallback: urlOf("status", leg), statusCallbackEvent: ["answered", "completed"] }, number);
    }
    expect(writeDialTwiml("telnyx", GROUP, urlOf)).toBe(response.toString());
  });

  test("a number and an address", () => {
    const sip = "sip:reception@pbx.example.com;transport=tls";
    const response = new VoiceResponse();
    const dial = response.dial({ action: urlOf("dial", "2"), timeout: 20, timeLimit: 60, callerId: "+14155550123" });
    const callbackOf = (leg: string) => ({
      statusCallback: urlOf("status", leg),
      statusCallbackEvent: ["answered", "completed"] as const,
    });
    dial.number({ ...callbackOf("2"), statusCallbackEvent: ["answered", "completed"] }, "+12125550101");
    dial.sip({ ...callbackOf("2.1"), statusCallbackEvent: ["answered", "completed"] }, sip);
    const [number] = GROUP.targets;
    const targets = [...(number ? [number] : []), { leg: "2.1", destination: sip } as const];
    expect(writeDialTwiml("telnyx", { ...GROUP, targets, maxSeconds: 60 }, urlOf)).toBe(response.toString());
  });

  test("a voicemail, after the last number and alone", () => {
    const voicemail = { greeting: { text: "Please leave a message.", language: "en-US" }, maxSeconds: 60 };
    const response = new VoiceResponse();
    response.say({ language: "en-US" }, "Please leave a message.");
    const url = urlOf("voicemail") + RETRIES;
    response.record({
      ...{ action: url, maxLength: 60, finishOnKey: "#" },
      ...{ recordingStatusCallback: url, recordingStatusCallbackEvent: ["completed"] },
    });
    response.hangup();
    expect(writeDialTwiml("twilio", voicemail, urlOf)).toBe(response.toString());
    expect(writeVoiceTwiml("twilio", planOf({ dials: [], voicemail }), urlOf)).toBe(response.toString());
    expect(writeVoiceTwiml("twilio", planOf({ voicemail }), urlOf)).toBe(writeVoiceTwiml("twilio", planOf({}), urlOf));
  });

  test("the provider's own fallback", () => {
    const response = new VoiceResponse();
    response.dial().number("+12125550199");
    expect(writeFallbackTwiml("+12125550199")).toBe(response.toString());
  });
});

test.each([
  ["twilio", 5, "5"],
  ["twilio", 9, "5"],
  ["twilio", 11, "6"],
  ["twilio", 120, "115"],
  ["signalwire", 20, "20"],
  ["telnyx", 5, "5"],
  ["telnyx", 120, "120"],
] as const)("%s rings for %i seconds with the timeout %s", (kind, ringSeconds, timeout) => {
  const { children } = parse(writeVoiceTwiml(kind, planOf({ dials: [{ ...DIAL, ringSeconds }] }), urlOf));
  expect(children).toMatchObject([{ name: "Dial", attributes: { timeout } }]);
});

test("a recording of one channel", () => {
  const { children } = parse(writeVoiceTwiml("telnyx", planOf({ dials: [{ ...DIAL, recording: "mono" }] }), urlOf));
  const recordingStatusCallback = urlOf("recording", "original");
  expect(children).toMatchObject([{ attributes: { record: "record-from-answer", recordingStatusCallback } }]);
});

describe("the whisper", () => {
  const write = (dial: Partial<DialInstruction> | undefined, digits?: string) =>
    parse(writeWhisperTwiml("original", dial && { ...DIAL, ...dial }, digits, urlOf)).children;
  const say = verb("Say", { language: "en-US" }, WHISPER.text);

  test("is said, and the call connected", () => {
    expect(write({ whisper: WHISPER })).toEqual([say]);
    expect(write({ whisper: { url: "https://example.com/a.mp3", language: "en-US" } })).toEqual([
      verb("Play", {}, "https://example.com/a.mp3"),
    ]);
    expect(write(undefined)).toEqual([]);
    expect(write({})).toEqual([]);
  });

  test("asks for a key, and hangs up without one", () => {
    const attributes = { numDigits: "1", timeout: "5", action: urlOf("whisper", "original") };
    const gather = { ...verb("Gather", attributes), children: [say] };
    expect(write({ whisper: WHISPER, acceptDigit: "1" })).toEqual([gather, verb("Hangup")]);
  });

  test("is that of the leg to the person", () => {
    const dial = { ...GROUP, whisper: WHISPER, acceptDigit: "1" };
    const [gather] = parse(writeWhisperTwiml("2.1", dial, undefined, urlOf)).children;
    expect(gather?.attributes.action).toBe(urlOf("whisper", "2.1"));
    const urls = parse(writeDialTwiml("telnyx", dial, urlOf)).children[0]?.children.map(
      ({ attributes }) => attributes.url,
    );
    expect(urls).toEqual([urlOf("whisper", "2"), urlOf("whisper", "2.1")]);
  });

  test("connects the call with the key, and hangs up with another one", () => {
    expect(write({ whisper: WHISPER, acceptDigit: "1" }, "1")).toEqual([]);
    expect(write({ whisper: WHISPER, acceptDigit: "1" }, "2")).toEqual([verb("Hangup")]);
    expect(write({ whisper: WHISPER, acceptDigit: "1" }, "11")).toEqual([verb("Hangup")]);
    // The key was removed from the call flow after the person was asked for it.
    expect(write({ whisper: WHISPER }, "1")).toEqual([]);
    expect(write(undefined, "1")).toEqual([]);
  });
});

test("any text is read back from its XML, without the characters that XML forbids", () => {
  const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const { text: content, attributes } = parse(
        writeXml({ name: "Say", attributes: { language: text }, content: text }),
      );
      const allowed = text.replace(forbidden, "");
      expect(content).toBe(allowed);
      expect(attributes.language).toBe(allowed);
    }),
    { examples: [["\0\u0001\ud800]]>&amp;<![CDATA['\"\r\n\t\ufffe\u{1f600}\u0085\u2028"]], numRuns: 1000 },
  );
});

describe("the answer to an operator's own phone system", () => {
  const write = (plan: CallPlan, isWithheld = false) =>
    JSON.parse(writePbxVoiceResponse(plan, "account=7", isWithheld));

  test("all that a call flow can have", () => {
    const prompt = { text: "Welcome.", language: "en-US" };
    const dial = { ...DIAL, whisper: WHISPER, acceptDigit: "1", recording: "dual" } as const;
    expect(write(planOf({ isOpen: true, prompt, dials: [dial, FALLBACK] }), true)).toEqual({
      ...{ action: "dial", business: "open" },
      ...{ step: "original", destination: "+12125550100", caller_id: "+14155550123", ring_seconds: 20 },
      ...{ max_seconds: 14_400, prompt_text: "Welcome.", language: "en-US", whisper_text: "Call from google" },
      ...{ accept_digit: "1", recording: "dual", fallback_destination: "+12125550199" },
      ...{ fallback_caller_id: "+12223334444", fallback_ring_seconds: 20, privacy: "id", report: "account=7" },
      steps: [
        sipStep("original", "+14155550123", { original: "+12125550100" }),
        sipStep("fallback", "+12223334444", { fallback: "+12125550199" }),
      ],
    });
  });

  test("more steps than two, and numbers that ring at once", () => {
    const { steps, ...flat } = write(planOf({ dials: [DIAL, FALLBACK, GROUP] }));
    expect(steps.slice(2)).toEqual([sipStep("2", "+14155550123", { 2: "+12125550101", "2.1": "+12125550102" })]);
    const { steps: _, ...flatOfTwo } = write(planOf({ dials: [DIAL, FALLBACK] }));
    expect(flat).toEqual(flatOfTwo);
    expect(write(planOf({ isOpen: false }))).toMatchObject({ business: "closed", step: "original" });
  });

  test("a voicemail, after the steps and alone", () => {
    const greeting = { url: "https://example.com/greeting.mp3", language: "de-DE" };
    const voicemail = { greeting, maxSeconds: 60 };
    const written = { greeting_url: greeting.url, language: "de-DE", max_seconds: 60 };
    expect(write(planOf({ voicemail }))).toEqual({ ...write(planOf({})), voicemail: written });
    expect(write(planOf({ dials: [], voicemail }))).toEqual({
      ...{ action: "hang_up", sip_status: 480, closed_url: greeting.url, language: "de-DE", report: "account=7" },
      voicemail: written,
    });
  });

  test("absent values are absent keys", () => {
    expect(write(planOf({ dials: [FALLBACK] }))).toEqual({
      ...{ action: "dial", step: "fallback", destination: "+12125550199", caller_id: "+12223334444", ring_seconds: 20 },
      ...{ max_seconds: 14_400, report: "account=7" },
      steps: [sipStep("fallback", "+12223334444", { fallback: "+12125550199" })],
    });
    expect(JSON.parse(writePbxVoiceResponse(planOf({}), undefined, false))).not.toHaveProperty("report");
  });

  test("calls that are not connected", () => {
    const announcement = { url: "https://example.com/closed.mp3", language: "de-DE" };
    expect(write({ kind: "hang_up", announcement, notes: [] })).toEqual({
      ...{ action: "hang_up", sip_status: 480, closed_url: announcement.url, language: "de-DE", report: "account=7" },
    });
    expect(write({ kind: "reject", reason: "REPEATED", notes: [] })).toEqual({
      ...{ action: "reject", sip_status: 486, reason: "REPEATED", report: "account=7" },
    });
  });
});

function sipStep(step: string, caller_id: string, numbers: Readonly<Record<string, string>>) {
  const targets = Object.entries(numbers).map(([leg, destination]) => ({ step: leg, destination }));
  return { step, caller_id, ring_seconds: 20, targets };
}

interface Verb {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly Verb[];
}

function verb(name: string, attributes: Readonly<Record<string, string>> = {}, text = ""): Verb {
  return { name, attributes, text, children: [] };
}

/** Parses a document. Fails if it is not well-formed. */
function parse(xml: string): Verb {
  const onError = (level: string, message: string) => {
    throw new Error(`${level}: ${message}`);
  };
  return describeElement(new DOMParser({ onError }).parseFromString(xml, "text/xml").documentElement as Element);
}

function describeElement(element: Element): Verb {
  const attributes = Object.fromEntries(Array.from(element.attributes, ({ name, value }) => [name, value]));
  const children = Array.from(element.childNodes).filter(
    (node): node is Element => node.nodeType === node.ELEMENT_NODE,
  );
  const text = children.length > 0 ? "" : (element.textContent ?? "");
  return { name: element.tagName, attributes, text, children: children.map(describeElement) };
}
