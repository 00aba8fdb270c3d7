import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CallPlan, planCall } from "./call-plan.js";
import { REPEATED_CALL_REJECTION } from "./call-rejection.js";
import type { CallRoute, CallSituation } from "./call-situation.js";
import { PromptMode, RecordingMode, Weekday } from "./gen/calltracking/v1/call_flow_pb.js";
import type { PhoneSystemCapability } from "./phone-system.js";
import { anyText } from "./testing/any-text.js";
import { type Flow, settingsOf } from "./testing/flow-settings.js";

const NEW_YORK_OFFICE: Flow = {
  hours: { timeZone: "America/New_York", periods: [{ days: [Weekday.THURSDAY], opens: "09:00", closes: "17:00" }] },
};
const OPEN = new Date("2026-11-26T15:00Z");
const CLOSED = new Date("2026-11-26T23:00Z");

const ALLOWED = { allowedPrefixes: ["+1"], ownCountries: ["US"], allowedSipHosts: [] };
const EVERYTHING = new Set<PhoneSystemCapability>(["prompt", "whisper", "recording"]);

function without(capability: PhoneSystemCapability): Difference {
  const capabilities = new Set([...EVERYTHING].filter((each) => each !== capability));
  return { phoneSystem: { ...ALLOWED, capabilities } };
}

/**
 * Differences from the default call. The default call is to an open business without call flow settings, and its pool turns prompts and recording
 * off.
 */
interface Difference extends Partial<Omit<CallSituation, "route">> {
  readonly flow?: Flow;
  readonly route?: Partial<CallRoute>;
}

function plan({ flow = {}, route, ...more }: Difference = {}): CallPlan {
  return planCall({
    route: {
      ...{ trackingNumber: "+12225550142", accountId: 7, accountToken: "acme", poolId: "p1", callTrackerId: "t1" },
      ...{ originalNumber: "+12125550100", source: "google", medium: "cpc", isPrompted: false, isRecorded: false },
      ...{ flow: settingsOf(flow), trackedNumbers: [], isReleased: false, phoneSystemId: undefined },
      ...route,
    },
    phoneSystem: { ...ALLOWED, capabilities: EVERYTHING },
    ...{ caller: "+14155550123", rejection: undefined, now: OPEN },
    ...more,
  });
}

/** Returns the numbers that a plan dials, in order. */
function numbersOf(planned: CallPlan): readonly string[] {
  return planned.kind === "dial"
    ? planned.dials.flatMap(({ targets }) => targets.map(({ destination }) => destination))
    : [];
}

function firstDial(planned: CallPlan) {
  return planned.kind === "dial" ? planned.dials[0] : undefined;
}

function promptOf(planned: CallPlan) {
  return planned.kind === "dial" ? planned.prompt : undefined;
}

/** Returns the note about a step, with a plus sign if the step is taken and a minus sign otherwise. */
function noteOf({ notes }: CallPlan, step: string): string | undefined {
  const note = notes.find((each) => each.step === step);
  return note && `${note.isDone ? "+" : "-"} ${note.description}`;
}

test("a call rings the original number, with the service's defaults", () => {
  expect(plan()).toEqual({
    ...{ kind: "dial", isOpen: true },
    prompt: undefined,
    dials: [
      {
        ...{ step: "original", targets: [{ leg: "original", destination: "+12125550100" }], callerId: "+14155550123" },
        ...{ ringSeconds: 20, maxSeconds: 14_400 },
        ...{ whisper: undefined, acceptDigit: undefined, recording: undefined },
      },
    ],
    notes: [
      { step: "closed", isDone: false, description: "no opening hours are set, so the business is always open" },
      { step: "prompt", isDone: false, description: "is_prompted of the pool is false" },
      { step: "record", isDone: false, description: "is_recorded of the pool is false" },
      { step: "dial", isDone: true, description: "rings +12125550100 for 20 seconds, showing the caller's number" },
      { step: "whisper", isDone: false, description: "neither a whisper nor accept_digit is set" },
      { step: "fallback", isDone: false, description: "no fallback number is set" },
    ],
  });
});

test("every setting has its effect", () => {
  const flow: Flow = {
    ...NEW_YORK_OFFICE,
    ...{ promptText: "Hello.", language: "en-GB", whisperText: "Call from {source}", acceptDigit: "5" },
    ...{ ringSeconds: 25, fallbackNumber: "+12125550199", callerId: "tracking_number" },
    ...{ recording: RecordingMode.MONO, maxMinutes: 10 },
  };
  const dial = {
    ...{ callerId: "+12225550142", ringSeconds: 25, whisper: { text: "Call from google", language: "en-GB" } },
    ...{ acceptDigit: "5", recording: "mono", maxSeconds: 600 },
  };
  expect(plan({ flow, route: { isPrompted: true, isRecorded: true } })).toEqual({
    ...{ kind: "dial", isOpen: true },
    prompt: { text: "Hello.", language: "en-GB" },
    dials: [
      { step: "original", targets: [{ leg: "original", destination: "+12125550100" }], ...dial },
      { step: "fallback", targets: [{ leg: "fallback", destination: "+12125550199" }], ...dial },
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

test("a rejected call has no other step", () => {
  const notes = [{ step: "reject", isDone: true, description: REPEATED_CALL_REJECTION.description }];
  expect(plan({ rejection: REPEATED_CALL_REJECTION, now: CLOSED })).toEqual({
    kind: "reject",
    reason: "REPEATED",
    notes,
  });
});

describe("a closed business", () => {
  const prompted = { isPrompted: true };

  test("rings its fallback number alone", () => {
    const flow = { ...NEW_YORK_OFFICE, fallbackNumber: "+12125550199", closedText: "Closed." };
    const planned = plan({ flow, route: prompted, now: CLOSED });
    expect(planned).toMatchObject({
      kind: "dial",
      prompt: { text: expect.any(String) },
      dials: [{ step: "fallback", targets: [{ leg: "fallback", destination: "+12125550199" }] }],
    });
    expect(noteOf(planned, "dial")).toBe("- the business is closed");
    expect(noteOf(planned, "fallback")).toBe("+ rings +12125550199 for 20 seconds, showing the caller's number");
  });

  const said = { text: "Closed.", language: "en-US" };
  const closedUrl = "https://a.example/c.mp3";

  test.each<[name: string, flow: Flow, announcement: object | undefined, note: string, difference?: Difference]>([
    ["says its text", { closedText: "Closed." }, said, '"Closed."'],
    ["plays its file", { closedUrl }, { url: closedUrl, language: "en-US" }, closedUrl],
    ["says nothing without a text", {}, undefined, "nothing"],
    ["says nothing for an empty text", { closedText: "" }, undefined, "nothing"],
    [
      "says nothing if the phone system cannot",
      { closedText: "Closed." },
      undefined,
      "nothing: the phone system cannot play the announcement",
      without("prompt"),
    ],
    [
      "says it although the the setting prompt is off",
      { closedText: "Closed.", prompt: PromptMode.OFF },
      said,
      '"Closed."',
    ],
    [
      "does not ring the original number as fallback",
      { fallbackNumber: "+12125550100", closedText: "Closed." },
      said,
      '"Closed."',
    ],
  ])("%s", (_, flow, announcement, heard, difference) => {
    const planned = plan({ flow: { ...NEW_YORK_OFFICE, ...flow }, route: prompted, now: CLOSED, ...difference });
    expect(planned).toMatchObject({ kind: "hang_up", announcement });
    expect(noteOf(planned, "hang_up")).toBe(`+ the caller hears ${heard}`);
    expect(noteOf(planned, "prompt")).toBe("- no number is dialed");
  });
});

describe("a fallback number", () => {
  test.each<[name: string, fallbackNumber: string, route: Partial<CallRoute>, note: string]>([
    [
      "that has become a tracking number",
      "+12125550199",
      { trackedNumbers: ["+12125550199"] },
      "- +12125550199 is a tracking number, so calls to it would loop",
    ],
    ["that is the original number", "+12125550100", {}, "- the fallback number is the original number"],
    [
      "that costs more",
      "+19002345678",
      {},
      "- the phone system may not dial +19002345678: premium numbers may be dialed only if allowed_prefixes contains their prefix",
    ],
    [
      "outside the allowed prefixes",
      "+4930123456",
      {},
      "- the phone system may not dial +4930123456: only numbers that begin with +1 may be dialed",
    ],
  ])("%s is left out", (_, fallbackNumber, route, note) => {
    const planned = plan({ flow: { fallbackNumber }, route });
    expect(numbersOf(planned)).toEqual(["+12125550100"]);
    expect(noteOf(planned, "fallback")).toBe(note);
  });

  test("is dialed alone if the original number must not be dialed", () => {
    const planned = plan({ flow: { fallbackNumber: "+12125550199" }, route: { originalNumber: "+4930123456" } });
    expect(numbersOf(planned)).toEqual(["+12125550199"]);
    expect(noteOf(planned, "dial")).toBe(
      "- the phone system may not dial +4930123456: only numbers that begin with +1 may be dialed",
    );
  });
});

test("a call whose numbers must not be dialed ends silently", () => {
  const planned = plan({ flow: { closedText: "Closed." }, route: { originalNumber: "+4930123456" } });
  expect(planned).toMatchObject({ kind: "hang_up", announcement: undefined });
  expect(noteOf(planned, "hang_up")).toBe("+ the caller hears nothing");
});

test("explains a number without a phone system as if the phone system could do everything", () => {
  const route = { isPrompted: true, isRecorded: true, originalNumber: "+4930123456" };
  const planned = plan({ route, phoneSystem: undefined });
  expect(firstDial(planned)).toMatchObject({ targets: [{ destination: "+4930123456" }], recording: "dual" });
});

test.each<[name: string, difference: Difference, prompt: object | undefined, note: string]>([
  [
    "is left out unless the pool is prompted",
    { flow: { promptText: "Hi." }, route: { isPrompted: false } },
    undefined,
    "- is_prompted of the pool is false",
  ],
  [
    "is left out if it is off",
    { flow: { promptText: "Hi.", prompt: PromptMode.OFF } },
    undefined,
    "- the setting prompt is off",
  ],
  [
    "is left out if the phone system cannot play it",
    without("prompt"),
    undefined,
    "- the phone system cannot play a prompt",
  ],
  [
    "is a file",
    { flow: { promptUrl: "https://a.example/p.mp3" } },
    { url: "https://a.example/p.mp3", language: "en-US" },
    "+ the caller hears https://a.example/p.mp3",
  ],
  [
    "is in the language of the number's country",
    { route: { trackingNumber: "+4930555000" } },
    { text: "Bitte warten Sie, wir verbinden Sie.", language: "de-DE" },
    '+ the caller hears "Bitte warten Sie, wir verbinden Sie."',
  ],
  [
    "is in the language of the flow",
    { flow: { language: "fr-CA" } },
    { text: expect.stringContaining("Veuillez"), language: "fr-CA" },
    expect.stringContaining("+ "),
  ],
  [
    "is English if it is not translated",
    { flow: { language: "hu-HU" } },
    { text: expect.stringContaining("Please"), language: "en-US" },
    expect.stringContaining("+ "),
  ],
  [
    "has the language of the flow if it is the business's own",
    { flow: { language: "hu-HU", promptText: "Halló." } },
    { text: "Halló.", language: "hu-HU" },
    '+ the caller hears "Halló."',
  ],
])("a prompt %s", (_, { route, ...difference }, prompt, note) => {
  const planned = plan({ route: { isPrompted: true, ...route }, ...difference });
  expect(promptOf(planned)).toEqual(prompt);
  expect(noteOf(planned, "prompt")).toEqual(note);
});

const NO_NOTICE = "- the prompt must announce the recording, but";

test.each<[name: string, difference: Difference, recording: string | undefined, note: string]>([
  ["has two channels by default", {}, "dual", "+ the call is recorded (dual)"],
  ["can have one channel", { flow: { recording: RecordingMode.MONO } }, "mono", "+ the call is recorded (mono)"],
  [
    "is not made if is_recorded of the pool is false",
    { route: { isRecorded: false } },
    undefined,
    "- is_recorded of the pool is false",
  ],
  ["is not made if it is off", { flow: { recording: RecordingMode.OFF } }, undefined, "- the setting recording is off"],
  ["is not made if the phone system cannot", without("recording"), undefined, "- the phone system cannot record calls"],
  [
    "is not made if its notice cannot be played",
    without("prompt"),
    undefined,
    `${NO_NOTICE} the phone system cannot play a prompt`,
  ],
  [
    "is not made if is_prompted of the pool is false",
    { route: { isPrompted: false } },
    undefined,
    `${NO_NOTICE} is_prompted of the pool is false`,
  ],
  [
    "is not made if the the setting prompt is off",
    { flow: { prompt: PromptMode.OFF } },
    undefined,
    `${NO_NOTICE} the setting prompt is off`,
  ],
])("a recording %s", (_, { route, ...difference }, recording, note) => {
  const planned = plan({ route: { isPrompted: true, isRecorded: true, ...route }, ...difference });
  expect(firstDial(planned)?.recording).toBe(recording);
  expect(noteOf(planned, "record")).toBe(note);
  const prompt = promptOf(planned);
  if (prompt) expect(prompt.text?.includes("recorded")).toBe(recording !== undefined);
});

const ENGLISH = { language: "en-US" };

test.each<[name: string, flow: Flow, whisper: object | undefined, difference?: Difference]>([
  ["names the source", { whisperText: "{source}, {source}" }, { text: "google, google", ...ENGLISH }],
  [
    "leaves braces that an earlier release stored as they are",
    { whisperText: "{caller} {Source} {source" },
    { text: "{caller} {Source} {source", ...ENGLISH },
  ],
  [
    "takes the source as it is",
    { whisperText: "From {source}" },
    { text: "From $& <b>&", ...ENGLISH },
    { route: { source: "$& <b>&" } },
  ],
  [
    "shortens a source to 60 characters",
    { whisperText: "{source}" },
    { text: "\u{1F4DE}".repeat(60), ...ENGLISH },
    { route: { source: "\u{1F4DE}".repeat(61) } },
  ],
  [
    "leaves out control characters",
    { whisperText: "{source}." },
    { text: "a b.", ...ENGLISH },
    { route: { source: "\0a\r\nb\u202e\ud83d" } },
  ],
  [
    "names an unknown source",
    { whisperText: "From {source}" },
    { text: "From an unknown source", ...ENGLISH },
    { route: { source: undefined } },
  ],
  [
    "is a file",
    { whisperUrl: "https://a.example/w.mp3", acceptDigit: "1" },
    { url: "https://a.example/w.mp3", ...ENGLISH },
  ],
  [
    "asks for the key by itself",
    { acceptDigit: "7", language: "de" },
    { text: "Um diesen Anruf anzunehmen, drücken Sie die 7.", language: "de" },
  ],
  ["is nothing for an empty text", { whisperText: "" }, undefined],
  ["is left out if the phone system cannot", { whisperText: "Hi", acceptDigit: "1" }, undefined, without("whisper")],
])("a whisper %s", (_, flow, whisper, difference) => {
  const acceptDigit = whisper && flow.acceptDigit;
  expect(firstDial(plan({ flow, ...difference }))).toMatchObject({ whisper, acceptDigit });
});

test.each<[callerId: string | undefined, caller: string | undefined, shown: string, text: string]>([
  [undefined, "+14155550123", "+14155550123", "the caller's number"],
  [
    "caller",
    undefined,
    "+12225550142",
    "the caller's number, or the tracking number if the caller's number is unknown",
  ],
  ["tracking_number", "+14155550123", "+12225550142", "the tracking number"],
  ["tracking_number", undefined, "+12225550142", "the tracking number"],
  ["+12125550177", "+14155550123", "+12125550177", "+12125550177"],
  ["+12125550177", undefined, "+12225550142", "+12125550177, or the tracking number if the caller's number is unknown"],
])("with caller_id %s, the business sees of the caller %s: %s", (callerId, caller, shown, text) => {
  const planned = plan({ flow: callerId === undefined ? {} : { callerId }, caller });
  expect(firstDial(planned)?.callerId).toBe(shown);
  expect(noteOf(planned, "dial")).toBe(`+ rings +12125550100 for 20 seconds, showing ${text}`);
});

test("any source and text give texts that can be spoken", () => {
  fc.assert(
    fc.property(anyText(100), anyText(20), (source, more) => {
      const text =
        firstDial(plan({ flow: { whisperText: `{source}${more}` }, route: { source } }))?.whisper?.text ?? "";
      expect(text.endsWith(more)).toBe(true);
      expect(text.slice(0, text.length - more.length)).not.toMatch(/\p{C}/u);
    }),
  );
});
