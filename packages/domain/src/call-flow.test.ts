import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  parseExplainCallRequest,
  parseGetCallFlowRequest,
  parseGetDefaultCallFlowRequest,
  parseUpdateCallFlowRequest,
  parseUpdateDefaultCallFlowRequest,
  requireDistinctFallbackNumber,
} from "./call-flow.js";
import {
  ExplainCallRequestSchema,
  GetCallFlowRequestSchema,
  GetDefaultCallFlowRequestSchema,
  PromptMode,
  RecordingMode,
  TargetOrder,
  UpdateCallFlowRequestSchema,
  UpdateDefaultCallFlowRequestSchema,
  Weekday,
} from "./gen/calltracking/v1/call_flow_pb.js";
import {
  anyOf,
  expectEveryInvalidField,
  invalidFields,
  optional,
  phoneNumber,
  problemsOf,
  reference,
  required,
} from "./testing/broken-request.js";
import { type Flow, HOURS, settingsOf } from "./testing/flow-settings.js";

/** Returns the problems of settings, such as `ring_seconds must be between 5 and 120`. */
function problemsIn(settings: Flow): string[] {
  const request = create(UpdateDefaultCallFlowRequestSchema, { accountId: "acme", settings });
  const problems = problemsOf(() => parseUpdateDefaultCallFlowRequest(request));
  return problems.map((problem) => problem.replace("settings.", ""));
}

const NOT_HTTPS = "must be an https URL, such as https://recordings.example/42.mp3";
const BLANK = "must contain more than spaces";
const NOT_TEXT = "must not contain control or unassigned characters";
const NOT_SOURCE = "must not contain braces, except in the placeholder {source}";
const NO_BRACES = "must not contain braces: only whisper_text has a placeholder, {source}";

function manyTargets(count: number) {
  return Array.from({ length: count }, (_, index) => ({ phoneNumber: `+100055501${index + 10}` }));
}

function manySteps(count: number) {
  return Array.from({ length: count }, () => ({ targets: manyTargets(1) }));
}

describe("settings", () => {
  test("are returned as they are", () => {
    const settings = settingsOf({
      ...{ prompt: PromptMode.ON, promptText: "Hi.", language: "de-DE", whisperText: "{source}", acceptDigit: "0" },
      ...{ ringSeconds: 5, hours: HOURS, closedDates: ["2026-12-25"], closedUrl: "https://a.example/c.mp3" },
      ...{ fallbackNumber: "+10005550101", callerId: "+10005550102", recording: RecordingMode.OFF, maxMinutes: 240 },
    });
    const request = create(UpdateCallFlowRequestSchema, { accountId: "acme", poolId: "p1", settings });
    expect(parseUpdateCallFlowRequest(request)).toEqual({ account: "acme", poolId: "p1", settings });
  });

  test.each<[name: string, settings: Flow]>([
    ["none", {}],
    ["empty texts that override those of the account", { whisperText: "", closedText: "" }],
    ["joiners of scripts", { promptText: "می\u200cشود", closedText: "\u{1F468}\u200d\u{1F469}" }],
    [
      "the longest texts",
      { promptText: "\u{1F4DE}".repeat(1000), whisperText: "a".repeat(200), closedText: "a".repeat(1000) },
    ],
    [
      "a night of 24 hours",
      { hours: { timeZone: "UTC", periods: [{ days: [Weekday.SUNDAY], opens: "00:00", closes: "24:00" }] } },
    ],
    ["a whisper with the placeholder, twice and among other signs", { whisperText: "{source}{source} [a] <b> %c% $d" }],
    ["a caller id by name", { callerId: "tracking_number" }],
    [
      "special days beside closed dates",
      {
        closedDates: ["2026-12-25"],
        specialDays: [
          {
            date: "2026-12-24",
            periods: [
              { opens: "09:00", closes: "24:00" },
              { opens: "22:00", closes: "02:00" },
            ],
          },
          { date: "2026-12-26" },
        ],
      },
    ],
    [
      "a year of special days",
      {
        specialDays: Array.from({ length: 366 }, (_, day) => ({
          date: new Date(Date.UTC(2028, 0, day + 1)).toJSON().slice(0, 10),
        })),
      },
    ],
    ["a year of closed dates", { closedDates: Array.from({ length: 366 }, () => "2028-02-29") }],
    [
      "steps with targets of each kind",
      {
        steps: [
          {
            targets: [{ original: true }, { phoneNumber: "+10005550101" }, { sipUri: "sip:reception@pbx.example.com" }],
          },
          { targets: [{ phoneNumber: "+10005550101" }], order: TargetOrder.AT_ONCE, ringSeconds: 5 },
          {
            targets: [
              { original: true, weight: 1 },
              { phoneNumber: "+10005550101", weight: 100 },
            ],
            order: TargetOrder.SHARED,
          },
        ],
        closedSteps: [{ targets: manyTargets(10), order: TargetOrder.IN_TURN, ringSeconds: 120 }],
      },
    ],
    [
      "steps with a voicemail",
      {
        steps: [...manySteps(1), { voicemail: { greetingText: "Please leave a message.", maxSeconds: 300 } }],
        closedSteps: [{ voicemail: { greetingUrl: "https://a.example/g.mp3", maxSeconds: 5 } }],
      },
    ],
    ["ten steps", { steps: manySteps(10), closedSteps: manySteps(10) }],
  ])("can be %s", (_, settings) => {
    expect(problemsIn(settings)).toEqual([]);
  });

  test.each<[settings: Flow, problems: string[]]>([
    [{ prompt: 0, recording: 0 }, ["prompt must be on or off", "recording must be dual, mono or off"]],
    [
      { prompt: 9 as never, recording: 9 as never },
      ["prompt must be on or off", "recording must be dual, mono or off"],
    ],
    [{ promptText: "" }, ["prompt_text must not be empty: to play no prompt, set prompt to off"]],
    [
      {
        promptText: " ",
        whisperText: "\u00a0",
        closedText: "\u2003 ",
        steps: [{ voicemail: { greetingText: "\u200b" } }],
      },
      [
        ...["prompt_text", "whisper_text", "closed_text"].map((field) => `${field} ${BLANK}`),
        `steps[0].voicemail.greeting_text ${BLANK}`,
      ],
    ],
    [{ promptText: "a".repeat(1001) }, ["prompt_text must have at most 1000 characters"]],
    [
      { promptText: "a\nb", whisperText: "\0", closedText: "\ud83d" },
      [`prompt_text ${NOT_TEXT}`, `whisper_text ${NOT_TEXT}`, `closed_text ${NOT_TEXT}`],
    ],
    ...["{caller}", "{Source}", "{ source }", "{source", "source}", "{{source}}", "{}", "}{", "{source} {digit}"].map(
      (whisperText): [Flow, string[]] => [{ whisperText }, [`whisper_text ${NOT_SOURCE}`]],
    ),
    [
      { promptText: "Hello {caller}", closedText: "{source}" },
      [`prompt_text ${NO_BRACES}`, `closed_text ${NO_BRACES}`],
    ],
    [{ whisperText: "\u{1F4DE}".repeat(201) }, ["whisper_text must have at most 200 characters"]],
    [
      { promptUrl: "http://a.example/", whisperUrl: "https://a b", closedUrl: "" },
      [`prompt_url ${NOT_HTTPS}`, `whisper_url ${NOT_HTTPS}`, `closed_url ${NOT_HTTPS}`],
    ],
    [{ promptUrl: `https://a.example/${"a".repeat(2000)}` }, ["prompt_url must be at most 2000 characters long"]],
    [
      {
        promptText: "a",
        promptUrl: "https://a.example/",
        whisperText: "",
        whisperUrl: "https://a.example/",
        closedText: "a",
        closedUrl: "https://a.example/",
      },
      [
        "prompt_url must not be set together with prompt_text",
        "whisper_url must not be set together with whisper_text",
        "closed_url must not be set together with closed_text",
      ],
    ],
    ...["", "german", "de_DE", "de-", `de-${"abcdefgh-".repeat(4)}a`].map((language): [Flow, string[]] => [
      { language },
      ["language must be a BCP 47 language tag, such as de-DE"],
    ]),
    ...["", "12", "a", "١"].map((acceptDigit): [Flow, string[]] => [
      { acceptDigit },
      ["accept_digit must be a digit, 0 to 9"],
    ]),
    [
      { ringSeconds: 4, maxMinutes: 0 },
      ["ring_seconds must be between 5 and 120", "max_minutes must be between 1 and 240"],
    ],
    [
      { ringSeconds: 121, maxMinutes: 241 },
      ["ring_seconds must be between 5 and 120", "max_minutes must be between 1 and 240"],
    ],
    [
      { fallbackNumber: "10005550101", callerId: "everybody" },
      [
        "fallback_number must be a phone number in E.164 format, such as +12223334444",
        "caller_id must be caller, tracking_number or a phone number in E.164 format",
      ],
    ],
    [{ closedDates: ["2026-12-25", "2026-02-29"] }, ["closed_dates[1] must be a date, such as 2026-12-25"]],
    [{ closedDates: Array.from({ length: 367 }, () => "2026-12-25") }, ["closed_dates must contain at most 366 dates"]],
    [
      {
        closedDates: ["2026-12-25"],
        specialDays: [
          {},
          { date: "2026-02-29" },
          { date: "2026-12-25" },
          { date: "2026-12-24", periods: [{}, { opens: "24:00", closes: "00:00" }] },
          { date: "2026-12-24" },
          { date: "2026-12-26", periods: Array.from({ length: 101 }, () => ({})) },
        ],
      },
      [
        "special_days[0].date is required",
        "special_days[1].date must be a date, such as 2026-12-25",
        "special_days[2].date must not be one of the closed_dates",
        "special_days[3].periods[0].opens is required",
        "special_days[3].periods[0].closes is required",
        "special_days[3].periods[1].opens must be a time from 00:00 to 23:59, such as 09:00",
        "special_days[3].periods[1].closes must be a time from 00:01 to 24:00, such as 18:00",
        "special_days[4].date must not repeat the date of an earlier entry",
        "special_days[5].periods must contain at most 100 periods",
      ],
    ],
    [
      { fallbackNumber: "+10005550101", closedSteps: manySteps(1) },
      ["fallback_number must not be set with steps or closed_steps: use a step with this number instead"],
    ],
    [
      {
        steps: [
          { voicemail: { greetingText: "a" } },
          { voicemail: { greetingText: "", greetingUrl: "http://a.example/", maxSeconds: 4 }, targets: manyTargets(1) },
          { voicemail: { maxSeconds: 301 } },
        ],
        closedSteps: [{ voicemail: { greetingText: "{source}" }, ringSeconds: 9 }],
      },
      [
        "steps[0].voicemail must be in the last step",
        "steps[1].voicemail must not be set with targets, order or ring_seconds: give the voicemail its own step",
        "steps[1].voicemail.greeting_text must not be empty",
        "steps[1].voicemail.greeting_url must be an https URL, such as https://recordings.example/42.mp3",
        "steps[1].voicemail.max_seconds must be between 5 and 300",
        "steps[2].voicemail must have exactly one of greeting_text and greeting_url",
        "steps[2].voicemail.max_seconds must be between 5 and 300",
        "closed_steps[0].voicemail must not be set with targets, order or ring_seconds: give the voicemail its own step",
        "closed_steps[0].voicemail.greeting_text must not contain braces: only whisper_text has a placeholder, {source}",
      ],
    ],
    [{ steps: manySteps(11) }, ["steps must contain at most 10 steps"]],
    [
      {
        steps: [
          {},
          { targets: manyTargets(11), order: 9 as never, ringSeconds: 4 },
          {
            targets: [
              {},
              { original: false },
              { original: true, phoneNumber: "+10005550101" },
              { phoneNumber: "5550101" },
            ],
          },
          {
            targets: [{ phoneNumber: "+10005550101", weight: 2 }, { phoneNumber: "+10005550101" }, { original: true }],
          },
          {
            targets: [
              { original: true, weight: 0 },
              { original: true, weight: 101 },
            ],
            order: TargetOrder.SHARED,
          },
        ],
      },
      [
        "steps[0].targets must contain 1 to 10 targets, unless the step is a voicemail",
        "steps[1].order must be at_once, in_turn or shared",
        "steps[1].ring_seconds must be between 5 and 120",
        "steps[1].targets must contain 1 to 10 targets, unless the step is a voicemail",
        "steps[2].targets[0] must have exactly one of original (true), phone_number and sip_uri",
        "steps[2].targets[1] must have exactly one of original (true), phone_number and sip_uri",
        "steps[2].targets[2] must have exactly one of original (true), phone_number and sip_uri",
        "steps[2].targets[3].phone_number must be a phone number in E.164 format, such as +12223334444",
        "steps[3].targets[0].weight may be set only if order is shared",
        "steps[3].targets[1] must not repeat an earlier target of the step",
        "steps[4].targets[0].weight must be between 1 and 100",
        "steps[4].targets[1] must not repeat an earlier target of the step",
        "steps[4].targets[1].weight must be between 1 and 100",
      ],
    ],
    [{ specialDays: Array.from({ length: 367 }, () => ({})) }, ["special_days must contain at most 366 days"]],
    [{ hours: {} }, ["hours.time_zone is required", "hours.periods must contain 1 to 100 periods"]],
    [
      {
        hours: {
          timeZone: "+01:00",
          periods: [
            {},
            { days: [0, 8 as never], opens: "24:00", closes: "00:00" },
            { days: [1], opens: "9:00", closes: "18:60" },
          ],
        },
      },
      [
        "hours.time_zone must be a name in the IANA time zone database, such as Europe/Berlin",
        "hours.periods[0].days must contain at least one day",
        "hours.periods[0].opens is required",
        "hours.periods[0].closes is required",
        "hours.periods[1].days[0] must be a day of the week, such as monday",
        "hours.periods[1].days[1] must be a day of the week, such as monday",
        "hours.periods[1].opens must be a time from 00:00 to 23:59, such as 09:00",
        "hours.periods[1].closes must be a time from 00:01 to 24:00, such as 18:00",
        "hours.periods[2].opens must be a time from 00:00 to 23:59, such as 09:00",
        "hours.periods[2].closes must be a time from 00:01 to 24:00, such as 18:00",
      ],
    ],
    [
      { hours: { timeZone: "UTC", periods: Array.from({ length: 101 }, () => ({})) } },
      ["hours.periods must contain 1 to 100 periods"],
    ],
  ])("%j is rejected", (settings, problems) => {
    expect(problemsIn(settings)).toEqual(problems);
  });
});

describe("reports every invalid field exactly once:", () => {
  const accountId = required(reference);
  const poolId = required(reference);
  const etag = anyOf(fc.string());
  const settings = { good: fc.constant({ ringSeconds: 20 }), bad: fc.constant(undefined) };
  const update = { accountId, settings, etag, ifNoneMatch: etag };

  test("parseGetCallFlowRequest", () => {
    expectEveryInvalidField(GetCallFlowRequestSchema, parseGetCallFlowRequest, { accountId, poolId });
  });

  test("parseGetDefaultCallFlowRequest", () => {
    expectEveryInvalidField(GetDefaultCallFlowRequestSchema, parseGetDefaultCallFlowRequest, { accountId });
  });

  test("parseUpdateCallFlowRequest", () => {
    expectEveryInvalidField(UpdateCallFlowRequestSchema, parseUpdateCallFlowRequest, { ...update, poolId });
  });

  test("parseUpdateDefaultCallFlowRequest", () => {
    expectEveryInvalidField(UpdateDefaultCallFlowRequestSchema, parseUpdateDefaultCallFlowRequest, update);
  });

  test("parseExplainCallRequest", () => {
    expectEveryInvalidField(ExplainCallRequestSchema, parseExplainCallRequest, {
      trackingNumber: required(phoneNumber),
      phoneSystemId: optional(reference),
      at: optional({
        good: fc.constant(timestampFromDate(new Date("2026-12-25T09:15Z"))),
        bad: fc.constant(timestampFromDate(new Date(-1))),
      }),
      callerNumber: optional(phoneNumber),
      redirectingNumber: optional(phoneNumber),
    });
  });
});

test("requireDistinctFallbackNumber rejects the original number", () => {
  const check = (flow: Flow) => invalidFields(() => requireDistinctFallbackNumber(settingsOf(flow), "+10005550100"));
  expect(check({})).toEqual([]);
  expect(check({ fallbackNumber: "+10005550101" })).toEqual([]);
  expect(check({ fallbackNumber: "+10005550100" })).toEqual(["settings.fallback_number"]);
});
