import { expect, test } from "vitest";
import { type CallFlowContext, listCallFlowWarnings } from "./call-flow-warnings.js";
import { PromptMode, RecordingMode } from "./gen/calltracking/v1/call_flow_pb.js";
import { inheritCallFlowSettings } from "./inherited-call-flow-settings.js";
import type { PhoneSystemCapability } from "./phone-system.js";
import { type Flow, HOURS, settingsOf } from "./testing/flow-settings.js";

const main = { name: "Main trunk", allowedPrefixes: ["+1", "+49"], ownCountries: ["US", "DE"], allowedSipHosts: [] };
const phoneSystem = (...capabilities: PhoneSystemCapability[]) => ({ ...main, capabilities: new Set(capabilities) });
const originalNumber = "+12125550100";
const both = { isPrompted: true, isRecorded: true, originalNumber };
const UNHEARD = "calls are not recorded: the prompt must announce the recording";
const NOT_PROMPTED = `${UNHEARD}, but is_prompted of the pool is false. Create a pool with is_prompted to record its calls`;
const PROMPT_OFF = `${UNHEARD}, but the setting prompt is off. Set prompt to on to record calls`;

test.each<[name: string, own: Flow, more: Partial<CallFlowContext> & { account?: Flow }, warnings: string[]]>([
  ["nothing set", {}, {}, []],
  [
    "settings with effect",
    {
      promptText: "a",
      recording: RecordingMode.MONO,
      whisperText: "1",
      acceptDigit: "1",
      hours: HOURS,
      closedText: "a",
    },
    { pool: both },
    [],
  ],
  ["the default of an account", { promptText: "a", recording: RecordingMode.MONO }, { pool: undefined }, []],
  [
    "a pool that is neither prompted nor recorded",
    { prompt: PromptMode.ON, promptText: "a", recording: RecordingMode.DUAL },
    { pool: { isPrompted: false, isRecorded: false, originalNumber } },
    [
      "is_prompted of the pool is false: prompt has no effect",
      "is_prompted of the pool is false: prompt_text has no effect",
      "is_recorded of the pool is false: recording has no effect",
    ],
  ],
  ["a recording without prompt", {}, { pool: { isPrompted: false, isRecorded: true, originalNumber } }, [NOT_PROMPTED]],
  [
    "a recording without prompt, which is off too",
    { prompt: PromptMode.OFF },
    { pool: { isPrompted: false, isRecorded: true, originalNumber } },
    ["is_prompted of the pool is false: prompt has no effect", NOT_PROMPTED],
  ],
  [
    "a recording with a prompt that the account turns off",
    {},
    { pool: both, account: { prompt: PromptMode.OFF } },
    [PROMPT_OFF],
  ],
  [
    "the default of an account with a recording and no prompt",
    { prompt: PromptMode.OFF, recording: RecordingMode.DUAL },
    {},
    [PROMPT_OFF],
  ],
  ["the default of an account with neither", { prompt: PromptMode.OFF, recording: RecordingMode.OFF }, {}, []],
  [
    "a recording with the prompt off",
    { prompt: PromptMode.OFF, promptText: "a" },
    { pool: both },
    ["the setting prompt is off: prompt_text has no effect", PROMPT_OFF],
  ],
  ["neither prompt nor recording", { prompt: PromptMode.OFF, recording: RecordingMode.OFF }, { pool: both }, []],
  [
    "a prompt that the account turns off",
    { promptUrl: "https://a.example/" },
    { account: { prompt: PromptMode.OFF } },
    ["the setting prompt is off: prompt_url has no effect"],
  ],
  [
    "closed dates without a time zone",
    { closedDates: ["2026-12-25"], specialDays: [{ date: "2026-12-24" }], closedText: "a" },
    {},
    [
      "no opening hours are set: closed_dates has no effect",
      "no opening hours are set: special_days has no effect",
      "no opening hours are set: closed_text has no effect",
    ],
  ],
  ["closed dates with the hours of the account", { closedDates: ["2026-12-25"] }, { account: { hours: HOURS } }, []],
  [
    "a closed text beside a fallback number",
    { hours: HOURS, closedText: "a" },
    { account: { fallbackNumber: "+10005550101" } },
    ["calls outside opening hours ring the fallback number: closed_text has no effect"],
  ],
  [
    "closed texts and steps",
    { hours: HOURS, closedText: "a", closedSteps: [{ targets: [{ original: true }] }] },
    {},
    ["calls outside opening hours follow the closed_steps: closed_text has no effect"],
  ],
  [
    "a voicemail that the phone system cannot record",
    { closedSteps: [{ voicemail: { greetingText: "a" } }], hours: HOURS },
    { pool: both, phoneSystems: [phoneSystem("prompt", "whisper")] },
    ['phone system "Main trunk" cannot record a message: the voicemail of closed_steps has no effect'],
  ],
  [
    "closed steps without opening hours",
    { closedSteps: [{ targets: [{ original: true }] }] },
    {},
    ["no opening hours are set: closed_steps has no effect"],
  ],
  [
    "targets that must not be dialed, and an original number that is none of them",
    { steps: [{ targets: [{ phoneNumber: "+4930123456" }] }, { targets: [{ phoneNumber: "+33123456789" }] }] },
    {
      pool: { ...both, originalNumber: "+19002345678" },
      phoneSystems: [phoneSystem("prompt", "whisper", "recording")],
    },
    [
      'phone system "Main trunk" may not dial steps[1].targets[0].phone_number +33123456789: only numbers that begin with +1, +49 may be dialed',
    ],
  ],
  [
    "a key that nobody knows",
    { acceptDigit: "1", whisperText: "Call from {source}" },
    {},
    ["whisper_text does not mention the key 1, which accepts the call: mention it in the text"],
  ],
  [
    "placeholders that an earlier release stored",
    { promptText: "Hi {caller}", whisperText: "{source}, {Source}", closedText: "a", hours: HOURS },
    {},
    [
      "prompt_text must not contain braces: only whisper_text has a placeholder, {source}",
      "whisper_text must not contain braces, except in the placeholder {source}",
    ],
  ],
  ["a key that the service names", { acceptDigit: "1" }, {}, []],
  [
    "a phone system that carries no media",
    { promptText: "a", whisperText: "1", acceptDigit: "1", recording: RecordingMode.DUAL },
    { pool: both, phoneSystems: [phoneSystem()] },
    [
      'phone system "Main trunk" cannot play a prompt: prompt_text has no effect',
      'phone system "Main trunk" cannot play a whisper: whisper_text has no effect',
      'phone system "Main trunk" cannot play a whisper: accept_digit has no effect',
      'phone system "Main trunk" cannot record calls: recording has no effect',
    ],
  ],
  [
    "a recording whose notice cannot be played",
    { recording: RecordingMode.DUAL },
    { pool: both, phoneSystems: [phoneSystem("recording")] },
    ['phone system "Main trunk" cannot play the prompt that announces a recording: recording has no effect'],
  ],
  [
    "a fallback number that must not be dialed",
    { fallbackNumber: "+33123456789" },
    { phoneSystems: [phoneSystem("prompt", "whisper", "recording")] },
    [
      'phone system "Main trunk" may not dial fallback_number +33123456789: only numbers that begin with +1, +49 may be dialed',
    ],
  ],
  [
    "an inherited fallback number that must not be dialed",
    {},
    { account: { fallbackNumber: "+18762345678" }, phoneSystems: [phoneSystem("prompt", "whisper", "recording")] },
    [
      'phone system "Main trunk" may not dial fallback_number +18762345678: numbers in Jamaica, where the phone ' +
        "system has no number, may be dialed only if allowed_prefixes contains their prefix",
    ],
  ],
  [
    "an original number that must not be dialed",
    {},
    {
      pool: { ...both, originalNumber: "+19002345678" },
      phoneSystems: [phoneSystem("prompt", "whisper", "recording")],
    },
    [
      'phone system "Main trunk" may not dial original number +19002345678: premium numbers may be dialed ' +
        "only if allowed_prefixes contains their prefix",
    ],
  ],
  [
    "a fallback number that may be dialed",
    { fallbackNumber: "+4930123456" },
    { phoneSystems: [phoneSystem("prompt", "whisper", "recording")] },
    [],
  ],
])("%s", (_, own, { account = {}, ...more }, warnings) => {
  const merged = inheritCallFlowSettings(settingsOf(own), settingsOf(account));
  expect(listCallFlowWarnings({ own: settingsOf(own), merged, pool: undefined, phoneSystems: [], ...more })).toEqual(
    warnings,
  );
});
