import { describe, expect, test } from "vitest";
import { applyCallFlowDefaults } from "./effective-call-flow-settings.js";
import { PromptMode, RecordingMode } from "./gen/calltracking/v1/call_flow_pb.js";
import { inheritCallFlowSettings } from "./inherited-call-flow-settings.js";
import { type Flow, HOURS, settingsOf } from "./testing/flow-settings.js";

const SALES = { targets: [{ phoneNumber: "+10005550102" }] };
const SUPPORT = { targets: [{ phoneNumber: "+10005550103" }] };

describe("inheritCallFlowSettings", () => {
  test.each<[name: string, own: Flow, account: Flow, merged: Flow]>([
    [
      "takes what the pool leaves unset from the account",
      { ringSeconds: 30 },
      { ringSeconds: 10, maxMinutes: 5, hours: HOURS },
      { ringSeconds: 30, maxMinutes: 5, hours: HOURS },
    ],
    [
      "does not take a text beside a URL",
      { promptUrl: "https://a.example/" },
      { promptText: "Hi.", whisperText: "W" },
      { promptUrl: "https://a.example/", whisperText: "W" },
    ],
    [
      "does not take a URL beside an empty text",
      { closedText: "" },
      { closedUrl: "https://a.example/" },
      { closedText: "" },
    ],
    [
      "takes closed dates as a whole",
      { closedDates: ["2026-12-25"] },
      { closedDates: ["2027-01-01"] },
      { closedDates: ["2026-12-25"] },
    ],
    ["takes closed dates of the account", {}, { closedDates: ["2027-01-01"] }, { closedDates: ["2027-01-01"] }],
    [
      "takes special days as a whole",
      { specialDays: [{ date: "2026-12-24" }] },
      { specialDays: [{ date: "2026-12-31" }] },
      { specialDays: [{ date: "2026-12-24" }] },
    ],
    [
      "takes special days of the account, except on closed dates of the pool",
      { closedDates: ["2026-12-24"] },
      { specialDays: [{ date: "2026-12-24" }, { date: "2026-12-31" }] },
      { closedDates: ["2026-12-24"], specialDays: [{ date: "2026-12-31" }] },
    ],
    [
      "takes closed dates of the account, except special days of the pool",
      { specialDays: [{ date: "2026-12-24" }] },
      { closedDates: ["2026-12-24", "2026-12-25"] },
      { closedDates: ["2026-12-25"], specialDays: [{ date: "2026-12-24" }] },
    ],
    ["takes steps as a whole", { steps: [SALES] }, { steps: [SUPPORT, SALES] }, { steps: [SALES] }],
    [
      "takes steps of the account, and its closed steps beside steps of the pool",
      { steps: [SALES] },
      { steps: [SUPPORT], closedSteps: [SUPPORT] },
      { steps: [SALES], closedSteps: [SUPPORT] },
    ],
    ["takes steps of the account", { ringSeconds: 30 }, { steps: [SUPPORT] }, { ringSeconds: 30, steps: [SUPPORT] }],
    [
      "does not take a fallback number beside steps",
      { closedSteps: [SALES] },
      { fallbackNumber: "+10005550101" },
      { closedSteps: [SALES] },
    ],
    [
      "does not take steps beside a fallback number",
      { fallbackNumber: "+10005550101" },
      { steps: [SALES], closedSteps: [SALES] },
      { fallbackNumber: "+10005550101" },
    ],
  ])("%s", (_, own, account, merged) => {
    expect(inheritCallFlowSettings(settingsOf(own), settingsOf(account))).toEqual(settingsOf(merged));
  });
});

describe("applyCallFlowDefaults", () => {
  test("adds the service's defaults", () => {
    expect(applyCallFlowDefaults(settingsOf({}), "+12225550142")).toEqual(
      settingsOf({
        ...{ prompt: PromptMode.ON, promptText: "Please hold while we connect your call.", language: "en-US" },
        ...{ ringSeconds: 20, callerId: "caller", recording: RecordingMode.DUAL, maxMinutes: 240 },
      }),
    );
  });

  test("keeps settings", () => {
    const flow = settingsOf({
      promptUrl: "https://a.example/",
      language: "fr",
      hours: HOURS,
      closedDates: ["2026-12-25"],
    });
    const effective = applyCallFlowDefaults(flow, "+12225550142", true);
    expect(effective).toMatchObject({
      promptUrl: "https://a.example/",
      language: "fr",
      hours: flow.hours,
      closedDates: ["2026-12-25"],
    });
    expect(effective.promptText).toBeUndefined();
  });

  test.each([
    ["+14155550100", "en-US"],
    ["+441632960000", "en-GB"],
    ["+4930123456", "de-DE"],
    ["+4112345678", "de-DE"],
    ["+35312345678", "en-GB"],
    ["+541112345678", "es-MX"],
    ["+351212345678", "pt-PT"],
    ["+5511123456", "pt-BR"],
    ["+33123456789", "fr-FR"],
    ["+9991234567", "en-US"],
    ["+2101234567", "en-US"],
    [undefined, "en-US"],
  ])("speaks to callers of %s in %s", (trackingNumber, language) => {
    expect(applyCallFlowDefaults(settingsOf({}), trackingNumber).language).toBe(language);
  });

  // The tags that the packages twilio 6.2 and @signalwire/compatibility-api 3.2 both accept for Say, as far as Calltrack has phrases in the language.
  test("speaks only languages that the providers document", () => {
    const documented = new Set([
      ...["da-DK", "de-DE", "en-AU", "en-GB", "en-NZ", "en-US", "en-ZA", "es-ES", "es-MX", "fr-FR", "it-IT", "nl-NL"],
      ...["pl-PL", "pt-BR", "pt-PT", "sv-SE"],
    ]);
    const spoken = Array.from(
      { length: 999 },
      (_, index) => applyCallFlowDefaults(settingsOf({}), `+${index + 1}12345678`).language,
    );
    expect([...new Set(spoken)].filter((language) => !documented.has(language))).toEqual([]);
  });

  test("has a prompt with and without the notice of the recording in every language", () => {
    const texts = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da"].flatMap((language) =>
      [false, true].map(
        (isRecorded) => applyCallFlowDefaults(settingsOf({ language }), undefined, isRecorded).promptText,
      ),
    );
    expect(new Set(texts).size).toBe(20);
  });
});
