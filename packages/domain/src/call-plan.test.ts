import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CallPlan, type CallRoute, type CallSituation, planCall } from "./call-plan.js";
import { PromptMode, RecordingMode, Weekday } from "./gen/calltracking/v1/call_flow_pb.js";
import type { PhoneSystemCapability } from "./phone-system.js";
import { anyText } from "./testing/any-text.js";
import { type Flow, settingsOf } from "./testing/flow-settings.js";

const NEW_YORK_OFFICE: Flow = {
  hours: { timeZone: "America/New_York", periods: [{ days: [Weekday.THURSDAY], opens: "09:00", closes: "17:00" }] },
};
const OPEN = new Date("2026-11-26T15:00Z");
const CLOSED = new Date("2026-11-26T23:00Z");

const EVERYTHING = new Set<PhoneSystemCapability>(["prompt", "whisper", "recording"]);

function without(capability: PhoneSystemCapability): Partial<CallSituation> {
  const capabilities = new Set([...EVERYTHING].filter((each) => each !== capability));
  return { phoneSystem: { allowedPrefixes: ["+1"], capabilities } };
}

function situation(flow: Flow = {}, route: Partial<CallRoute> = {}, more: Partial<CallSituation> = {}): CallSituation {
  return {
    route: {
      ...{ trackingNumber: "+12225550142", accountId: 7, accountToken: "acme", poolId: "p1", callTrackerId: "t1" },
      ...{ originalNumber: "+12125550100", source: "google", medium: "cpc", isPrompted: false, isRecorded: false },
      ...{ flow: settingsOf(flow), isFallbackTracked: false, phoneSystemId: undefined },
      ...route,
    },
    phoneSystem: { allowedPrefixes: ["+1"], capabilities: EVERYTHING },
    ...{ caller: "+14155550123", isCallerTracked: false, isRedirectTracked: false, isRepeated: false, now: OPEN },
    ...more,
  };
}

/** Returns the numbers that a plan dials, in their order. */
function numbersOf(plan: CallPlan): readonly string[] {
  return plan.kind === "dial" ? plan.dials.map(({ number }) => number) : [];
}

function firstDial(plan: CallPlan) {
  return plan.kind === "dial" ? plan.dials[0] : undefined;
}

function promptOf(plan: CallPlan) {
  return plan.kind === "dial" ? plan.prompt : undefined;
}

/** Returns what the notes of a plan say about a step: with a plus sign if it is done. */
function noteOf(plan: CallPlan, step: string): string | undefined {
  const note = plan.notes.find((each) => each.step === step);
  return note && `${note.isDone ? "+" : "-"} ${note.description}`;
}

test("a call rings the original number, with the service's defaults", () => {
  expect(planCall(situation())).toEqual({
    kind: "dial",
    prompt: undefined,
    dials: [
      {
        ...{ step: "original", number: "+12125550100", callerId: "+14155550123", ringSeconds: 20, maxSeconds: 14_400 },
        ...{ whisper: undefined, acceptDigit: undefined, recording: undefined },
      },
    ],
    notes: [
      { step: "closed", isDone: false, description: "there are no opening hours" },
      { step: "prompt", isDone: false, description: "the pool is not prompted" },
      { step: "record", isDone: false, description: "the pool is not recorded" },
      { step: "dial", isDone: true, description: "rings +12125550100 for 20 seconds, showing the caller's number" },
      { step: "whisper", isDone: false, description: "no whisper is set" },
      { step: "fallback", isDone: false, description: "no fallback number is set" },
    ],
  });
});

test("every setting has its effect", () => {
  const flow: Flow = {
    ...{
      promptText: "Hello.",
      language: "en-GB",
      whisperText: "Call from {source}",
      acceptDigit: "5",
      ringSeconds: 25,
    },
    ...{ fallbackNumber: "+12125550199", callerId: "tracking_number", recording: RecordingMode.MONO, maxMinutes: 10 },
  };
  const plan = planCall(situation({ ...flow, ...NEW_YORK_OFFICE }, { isPrompted: true, isRecorded: true }));
  const dial = {
    ...{ callerId: "+12225550142", ringSeconds: 25, whisper: { text: "Call from google", language: "en-GB" } },
    ...{ acceptDigit: "5", recording: "mono", maxSeconds: 600 },
  };
  expect(plan).toEqual({
    kind: "dial",
    prompt: { text: "Hello.", language: "en-GB" },
    dials: [
      { step: "original", number: "+12125550100", ...dial },
      { step: "fallback", number: "+12125550199", ...dial },
    ],
    notes: [
      {
        step: "closed",
        isDone: false,
        description: "it is Thursday 2026-11-26 10:00 in America/New_York, within the opening hours",
      },
      { step: "prompt", isDone: true, description: 'the caller hears "Hello."' },
      { step: "record", isDone: true, description: "the call is recorded (mono)" },
      { step: "dial", isDone: true, description: "rings +12125550100 for 25 seconds, showing the tracking number" },
      {
        step: "whisper",
        isDone: true,
        description: 'the person who answers hears "Call from google" and accepts the call with the key 5',
      },
      {
        step: "fallback",
        isDone: true,
        description:
          "rings +12125550199 for 25 seconds, showing the tracking number, if the first number does not answer",
      },
    ],
  });
});

test.each<[name: string, more: Partial<CallSituation>, reason: string]>([
  ["a call from a tracking number", { isCallerTracked: true }, "LOOP"],
  ["a call that a tracking number redirected", { isRedirectTracked: true }, "LOOP"],
  ["the third call within 10 seconds", { isRepeated: true }, "REPEATED"],
  ["a repeated loop", { isCallerTracked: true, isRepeated: true }, "LOOP"],
])("rejects %s", (_, more, reason) => {
  const notes = [{ step: "reject", isDone: true, description: expect.any(String) }];
  expect(planCall(situation({}, {}, more))).toEqual({ kind: "reject", reason, notes });
});

describe("a closed business", () => {
  const fallbackNumber = "+12125550199";
  const closed = { now: CLOSED };

  test("rings its fallback number alone", () => {
    const plan = planCall(
      situation({ ...NEW_YORK_OFFICE, fallbackNumber, closedText: "Closed." }, { isPrompted: true }, closed),
    );
    expect(plan).toMatchObject({
      kind: "dial",
      prompt: { text: expect.any(String) },
      dials: [{ step: "fallback", number: fallbackNumber }],
    });
    expect(noteOf(plan, "dial")).toBe("- the business is closed");
    expect(noteOf(plan, "fallback")).toBe("+ rings +12125550199 for 20 seconds, showing the caller's number");
  });

  test.each<[name: string, flow: Flow, more: Partial<CallSituation>, announcement: object | undefined, note: string]>([
    [
      "says its text",
      { closedText: "Closed." },
      {},
      { text: "Closed.", language: "en-US" },
      '+ the caller hears "Closed."',
    ],
    [
      "plays its file",
      { closedUrl: "https://a.example/c.mp3" },
      {},
      { url: "https://a.example/c.mp3", language: "en-US" },
      "+ the caller hears https://a.example/c.mp3",
    ],
    ["says nothing without a text", {}, {}, undefined, "+ the caller hears nothing"],
    ["says nothing for an empty text", { closedText: "" }, {}, undefined, "+ the caller hears nothing"],
    [
      "says nothing if the phone system cannot",
      { closedText: "Closed." },
      without("prompt"),
      undefined,
      "+ the caller hears nothing: the phone system cannot play the announcement",
    ],
    [
      "says it although the prompt is off",
      { closedText: "Closed.", prompt: PromptMode.OFF },
      {},
      { text: "Closed.", language: "en-US" },
      '+ the caller hears "Closed."',
    ],
    [
      "does not ring the original number as fallback",
      { fallbackNumber: "+12125550100", closedText: "Closed." },
      {},
      { text: "Closed.", language: "en-US" },
      '+ the caller hears "Closed."',
    ],
  ])("%s", (_, flow, more, announcement, note) => {
    const plan = planCall(situation({ ...NEW_YORK_OFFICE, ...flow }, { isPrompted: true }, { ...closed, ...more }));
    expect(plan).toMatchObject({ kind: "hang_up", announcement });
    expect(noteOf(plan, "hang_up")).toBe(note);
    expect(noteOf(plan, "prompt")).toBe("- no number is dialed");
  });
});

describe("a fallback number", () => {
  test.each<[name: string, fallbackNumber: string, route: Partial<CallRoute>, note: string]>([
    [
      "that has become a tracking number",
      "+12125550199",
      { isFallbackTracked: true },
      "- +12125550199 is a tracking number, so calls to it would loop",
    ],
    ["that is the original number", "+12125550100", {}, "- the fallback number is the original number"],
    ["outside the allowed prefixes", "+4930123456", {}, "- the phone system may not dial +4930123456: it allows +1"],
  ])("%s is left out", (_, fallbackNumber, route, note) => {
    const plan = planCall(situation({ fallbackNumber }, route));
    expect(numbersOf(plan)).toEqual(["+12125550100"]);
    expect(noteOf(plan, "fallback")).toBe(note);
  });

  test("is dialed alone if the original number must not be dialed", () => {
    const plan = planCall(situation({ fallbackNumber: "+12125550199" }, { originalNumber: "+4930123456" }));
    expect(numbersOf(plan)).toEqual(["+12125550199"]);
    expect(noteOf(plan, "dial")).toBe("- the phone system may not dial +4930123456: it allows +1");
  });
});

test("a call whose numbers must not be dialed ends silently", () => {
  const plan = planCall(situation({ closedText: "Closed." }, { originalNumber: "+4930123456" }));
  expect(plan).toMatchObject({ kind: "hang_up", announcement: undefined });
  expect(noteOf(plan, "hang_up")).toBe("+ the caller hears nothing");
});

test("a number that names no phone system is explained as if one could do everything", () => {
  const plan = planCall(
    situation({}, { isPrompted: true, isRecorded: true, originalNumber: "+4930123456" }, { phoneSystem: undefined }),
  );
  expect(firstDial(plan)).toMatchObject({ number: "+4930123456", recording: "dual" });
});

test.each<
  [
    name: string,
    flow: Flow,
    route: Partial<CallRoute>,
    more: Partial<CallSituation>,
    prompt: object | undefined,
    note: string,
  ]
>([
  [
    "is left out unless the pool is prompted",
    { promptText: "Hi." },
    { isPrompted: false },
    {},
    undefined,
    "- the pool is not prompted",
  ],
  ["is left out if it is off", { promptText: "Hi.", prompt: PromptMode.OFF }, {}, {}, undefined, "- prompt is off"],
  [
    "is left out if the phone system cannot play it",
    {},
    {},
    without("prompt"),
    undefined,
    "- the phone system cannot play a prompt",
  ],
  [
    "is a file",
    { promptUrl: "https://a.example/p.mp3" },
    {},
    {},
    { url: "https://a.example/p.mp3", language: "en-US" },
    "+ the caller hears https://a.example/p.mp3",
  ],
  [
    "is in the language of the number's country",
    {},
    { trackingNumber: "+4930555000" },
    {},
    { text: "Bitte warten Sie, wir verbinden Sie.", language: "de-DE" },
    '+ the caller hears "Bitte warten Sie, wir verbinden Sie."',
  ],
  [
    "is in the language of the flow",
    { language: "fr-CA" },
    {},
    {},
    { text: expect.stringContaining("Veuillez"), language: "fr-CA" },
    expect.stringContaining("+ "),
  ],
  [
    "is English if it is not translated",
    { language: "hu-HU" },
    {},
    {},
    { text: expect.stringContaining("Please"), language: "en-US" },
    expect.stringContaining("+ "),
  ],
  [
    "has the language of the flow if it is the business's own",
    { language: "hu-HU", promptText: "Halló." },
    {},
    {},
    { text: "Halló.", language: "hu-HU" },
    '+ the caller hears "Halló."',
  ],
])("a prompt %s", (_, flow, route, more, prompt, note) => {
  const plan = planCall(situation(flow, { isPrompted: true, ...route }, more));
  expect(promptOf(plan)).toEqual(prompt);
  expect(noteOf(plan, "prompt")).toEqual(note);
});

test.each<
  [
    name: string,
    flow: Flow,
    route: Partial<CallRoute>,
    more: Partial<CallSituation>,
    recording: string | undefined,
    note: string,
  ]
>([
  ["has two channels by default", {}, {}, {}, "dual", "+ the call is recorded (dual)"],
  ["can have one channel", { recording: RecordingMode.MONO }, {}, {}, "mono", "+ the call is recorded (mono)"],
  ["is not made if the pool is not recorded", {}, { isRecorded: false }, {}, undefined, "- the pool is not recorded"],
  ["is not made if it is off", { recording: RecordingMode.OFF }, {}, {}, undefined, "- recording is off"],
  [
    "is not made if the phone system cannot",
    {},
    {},
    without("recording"),
    undefined,
    "- the phone system cannot record",
  ],
  [
    "is not made if its notice cannot be played",
    {},
    {},
    without("prompt"),
    undefined,
    "- its notice is part of the prompt, and the phone system cannot play a prompt",
  ],
  [
    "is not made if the pool is not prompted",
    {},
    { isPrompted: false },
    {},
    undefined,
    "- its notice is part of the prompt, and the pool is not prompted",
  ],
  [
    "is not made if the prompt is off",
    { prompt: PromptMode.OFF },
    {},
    {},
    undefined,
    "- its notice is part of the prompt, and prompt is off",
  ],
])("a recording %s", (_, flow, route, more, recording, note) => {
  const plan = planCall(situation(flow, { isPrompted: true, isRecorded: true, ...route }, more));
  expect(firstDial(plan)?.recording).toBe(recording);
  expect(noteOf(plan, "record")).toBe(note);
  if (promptOf(plan)) expect(promptOf(plan)?.text?.includes("recorded")).toBe(recording !== undefined);
});

test.each<
  [
    name: string,
    flow: Flow,
    route: Partial<CallRoute>,
    more: Partial<CallSituation>,
    whisper: object | undefined,
    acceptDigit?: string,
  ]
>([
  ["names the source", { whisperText: "{source}, {source}" }, {}, {}, { text: "google, google", language: "en-US" }],
  [
    "takes the source as it is",
    { whisperText: "From {source}" },
    { source: "$& <b>&" },
    {},
    { text: "From $& <b>&", language: "en-US" },
  ],
  [
    "shortens a source to 60 characters",
    { whisperText: "{source}" },
    { source: "\u{1F4DE}".repeat(61) },
    {},
    { text: "\u{1F4DE}".repeat(60), language: "en-US" },
  ],
  [
    "leaves out control characters",
    { whisperText: "{source}." },
    { source: "\0a\r\nb\u202e\ud83d" },
    {},
    { text: "a b.", language: "en-US" },
  ],
  [
    "names an unknown source",
    { whisperText: "From {source}" },
    { source: undefined },
    {},
    { text: "From an unknown source", language: "en-US" },
  ],
  [
    "is a file",
    { whisperUrl: "https://a.example/w.mp3", acceptDigit: "1" },
    {},
    {},
    { url: "https://a.example/w.mp3", language: "en-US" },
    "1",
  ],
  [
    "asks for the key by itself",
    { acceptDigit: "7", language: "de" },
    {},
    {},
    { text: "Um diesen Anruf anzunehmen, drücken Sie die 7.", language: "de" },
    "7",
  ],
  ["is nothing for an empty text", { whisperText: "" }, {}, {}, undefined],
  [
    "is left out if the phone system cannot",
    { whisperText: "Hi", acceptDigit: "1" },
    {},
    without("whisper"),
    undefined,
  ],
])("a whisper %s", (_, flow, route, more, whisper, acceptDigit) => {
  expect(firstDial(planCall(situation(flow, route, more)))).toMatchObject({ whisper, acceptDigit });
});

test.each<[callerId: string | undefined, caller: string | undefined, shown: string, text: string]>([
  [undefined, "+14155550123", "+14155550123", "the caller's number"],
  ["caller", undefined, "+12225550142", "the caller's number, or the tracking number for a caller without one"],
  ["tracking_number", "+14155550123", "+12225550142", "the tracking number"],
  ["tracking_number", undefined, "+12225550142", "the tracking number"],
  ["+12125550177", "+14155550123", "+12125550177", "+12125550177"],
  ["+12125550177", undefined, "+12225550142", "+12125550177, or the tracking number for a caller without one"],
])("with caller_id %s, the business sees of the caller %s: %s", (callerId, caller, shown, text) => {
  const plan = planCall(situation(callerId === undefined ? {} : { callerId }, {}, { caller }));
  expect(firstDial(plan)?.callerId).toBe(shown);
  expect(noteOf(plan, "dial")).toBe(`+ rings +12125550100 for 20 seconds, showing ${text}`);
});

test("any source and text give texts that can be said", () => {
  fc.assert(
    fc.property(anyText(100), anyText(20), (source, more) => {
      const plan = planCall(situation({ whisperText: `{source}${more}` }, { source }));
      const text = firstDial(plan)?.whisper?.text ?? "";
      expect(text.endsWith(more)).toBe(true);
      expect(text.slice(0, text.length - more.length)).not.toMatch(/\p{C}/u);
    }),
  );
});
