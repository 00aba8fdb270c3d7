import { create } from "@bufbuild/protobuf";
import { parseAccountReference } from "./account.js";
import { readTimestampField } from "./call.js";
import { checkCallFlowSteps } from "./call-flow-steps.js";
import { FieldCheck } from "./field-check.js";
import {
  type CallFlowSettings,
  CallFlowSettingsSchema,
  type ExplainCallRequest,
  type GetCallFlowRequest,
  type GetDefaultCallFlowRequest,
  type OpeningHours,
  type OpeningPeriod,
  PromptMode,
  RecordingMode,
  type UpdateCallFlowRequest,
  type UpdateDefaultCallFlowRequest,
  Weekday,
} from "./gen/calltracking/v1/call_flow_pb.js";
import { EXCLUSIVE_SETTING_PAIRS } from "./inherited-call-flow-settings.js";
import { isCalendarDate } from "./opening-hours.js";
import { parsePoolReference } from "./pool.js";
import { createRangeRule } from "./range-rule.js";
import { findCallerTextProblem, findWhisperBracesProblem } from "./spoken-placeholder.js";
import { findPhoneNumberProblem } from "./telephony.js";
import { findLookupKeyProblem, findSoundUrlProblem, findSpokenTextProblem } from "./text.js";
import { findTimeZoneProblem } from "./time-zone.js";

const MAX_WHISPER_LENGTH = 200;
const MAX_CLOSED_DATES = 366;
const MAX_PERIODS = 100;
const MAX_LANGUAGE_LENGTH = 35;

const OPENS = /^([01]\d|2[0-3]):[0-5]\d$/;
const CLOSES = /^(?!00:00)([01]\d|2[0-3]):[0-5]\d$|^24:00$/;

/** Accepts a pool id that is not a UUID, although no pool has such an id. Throws DomainError `FIELD_INVALID`. */
export function parseGetCallFlowRequest(request: GetCallFlowRequest) {
  const check = new FieldCheck();
  return check.done(parsePoolReference(check, request));
}

/** @throws DomainError `FIELD_INVALID` */
export function parseGetDefaultCallFlowRequest(request: GetDefaultCallFlowRequest) {
  const check = new FieldCheck();
  return check.done({ account: parseAccountReference(check, request) });
}

/** Does not compare the fallback number with the pool's original number: `requireDistinctFallbackNumber` does. Throws DomainError `FIELD_INVALID`. */
export function parseUpdateCallFlowRequest(request: UpdateCallFlowRequest) {
  const check = new FieldCheck();
  return check.done({ ...parsePoolReference(check, request), settings: readSettings(check, request.settings) });
}

/** Requires that the fallback number of a pool's call flow is not the pool's original number. Throws DomainError `FIELD_INVALID`. */
export function requireDistinctFallbackNumber({ fallbackNumber }: CallFlowSettings, originalNumber: string): void {
  const check = new FieldCheck();
  if (fallbackNumber === originalNumber) {
    check.report("settings.fallback_number", "must not be the original number of the pool: choose another number");
  }
  check.done(undefined);
}

/** @throws DomainError `FIELD_INVALID` */
export function parseUpdateDefaultCallFlowRequest(request: UpdateDefaultCallFlowRequest) {
  const check = new FieldCheck();
  return check.done({
    account: parseAccountReference(check, request),
    settings: readSettings(check, request.settings),
  });
}

/** Accepts a phone system id that is not a UUID, although no phone system has such an id. Throws DomainError `FIELD_INVALID`. */
export function parseExplainCallRequest(request: ExplainCallRequest) {
  const check = new FieldCheck();
  return check.done({
    trackingNumber: check.required("tracking_number", request.trackingNumber, findPhoneNumberProblem),
    /** Undefined to explain the call for the phone system of the tracking number. */
    phoneSystemId: check.optional("phone_system_id", request.phoneSystemId, findLookupKeyProblem),
    /** Undefined to explain a call at the current time. */
    at: readTimestampField(check, "at", request.at),
    /** Undefined if the caller's number is withheld. */
    callerNumber: check.optional("caller_number", request.callerNumber, findPhoneNumberProblem),
    redirectingNumber: check.optional("redirecting_number", request.redirectingNumber, findPhoneNumberProblem),
  });
}

function readSettings(check: FieldCheck, settings: CallFlowSettings | undefined): CallFlowSettings {
  if (settings === undefined) {
    check.report("settings", "is required");
    return create(CallFlowSettingsSchema);
  }
  const optional = <T>(field: string, value: T | undefined, rule: (value: T) => string | undefined) =>
    check.optional(`settings.${field}`, value, rule);
  optional("prompt", settings.prompt, findPromptProblem);
  optional("prompt_text", settings.promptText, (text) =>
    text === "" ? "must not be empty: to play no prompt, set prompt to off" : findCallerTextProblem(text),
  );
  optional("prompt_url", settings.promptUrl, findSoundUrlProblem);
  optional("language", settings.language, findLanguageProblem);
  optional(
    "whisper_text",
    settings.whisperText,
    (text) => findSpokenTextProblem(text, MAX_WHISPER_LENGTH) ?? findWhisperBracesProblem(text),
  );
  optional("whisper_url", settings.whisperUrl, findSoundUrlProblem);
  optional("accept_digit", settings.acceptDigit, (digit) =>
    /^[0-9]$/.test(digit) ? undefined : "must be a digit, 0 to 9",
  );
  optional("ring_seconds", settings.ringSeconds, createRangeRule(5, 120));
  if (settings.hours !== undefined) checkHours(check, settings.hours);
  if (settings.closedDates.length > MAX_CLOSED_DATES) {
    check.report("settings.closed_dates", `must contain at most ${MAX_CLOSED_DATES} dates`);
  }
  settings.closedDates.forEach((date, index) => {
    optional(`closed_dates[${index}]`, date, findDateProblem);
  });
  checkSpecialDays(check, settings);
  optional("closed_text", settings.closedText, findCallerTextProblem);
  optional("closed_url", settings.closedUrl, findSoundUrlProblem);
  optional("fallback_number", settings.fallbackNumber, (number) =>
    settings.steps.length > 0 || settings.closedSteps.length > 0
      ? "must not be set with steps or closed_steps: use a step with this number instead"
      : findPhoneNumberProblem(number),
  );
  checkCallFlowSteps(check, "settings.steps", settings.steps);
  checkCallFlowSteps(check, "settings.closed_steps", settings.closedSteps);
  optional("caller_id", settings.callerId, findCallerIdProblem);
  optional("recording", settings.recording, findRecordingProblem);
  optional("max_minutes", settings.maxMinutes, createRangeRule(1, 240));
  const { field } = CallFlowSettingsSchema;
  for (const [text, url] of EXCLUSIVE_SETTING_PAIRS) {
    if (settings[text] !== undefined && settings[url] !== undefined) {
      check.report(`settings.${field[url].name}`, `must not be set together with ${field[text].name}`);
    }
  }
  return settings;
}

function checkHours(check: FieldCheck, { timeZone, periods }: OpeningHours): void {
  check.required("settings.hours.time_zone", timeZone, findTimeZoneProblem);
  if (periods.length < 1 || periods.length > MAX_PERIODS) {
    check.report("settings.hours.periods", `must contain 1 to ${MAX_PERIODS} periods`);
    return;
  }
  periods.forEach(({ days, opens, closes }, index) => {
    const path = `settings.hours.periods[${index}]`;
    if (days.length === 0) check.report(`${path}.days`, "must contain at least one day");
    days.forEach((day, place) => {
      if (day === Weekday.UNSPECIFIED || !(day in Weekday))
        check.report(`${path}.days[${place}]`, "must be a day of the week, such as monday");
    });
    checkTimes(check, path, { opens, closes });
  });
}

function checkSpecialDays(check: FieldCheck, { closedDates, specialDays }: CallFlowSettings): void {
  if (specialDays.length > MAX_CLOSED_DATES) {
    check.report("settings.special_days", `must contain at most ${MAX_CLOSED_DATES} days`);
    return;
  }
  const earlier = new Set<string>();
  specialDays.forEach(({ date, periods }, index) => {
    const path = `settings.special_days[${index}]`;
    check.required(`${path}.date`, date, (text) => {
      if (earlier.has(text)) return "must not repeat the date of an earlier entry";
      return closedDates.includes(text) ? "must not be one of the closed_dates" : findDateProblem(text);
    });
    earlier.add(date ?? "");
    if (periods.length > MAX_PERIODS) {
      check.report(`${path}.periods`, `must contain at most ${MAX_PERIODS} periods`);
      return;
    }
    periods.forEach((period, place) => {
      checkTimes(check, `${path}.periods[${place}]`, period);
    });
  });
}

function checkTimes(check: FieldCheck, path: string, { opens, closes }: Pick<OpeningPeriod, "opens" | "closes">): void {
  check.required(`${path}.opens`, opens, (time) =>
    OPENS.test(time) ? undefined : "must be a time from 00:00 to 23:59, such as 09:00",
  );
  check.required(`${path}.closes`, closes, (time) =>
    CLOSES.test(time) ? undefined : "must be a time from 00:01 to 24:00, such as 18:00",
  );
}

function findDateProblem(date: string): string | undefined {
  return isCalendarDate(date) ? undefined : "must be a date, such as 2026-12-25";
}

function findPromptProblem(mode: PromptMode): string | undefined {
  return mode === PromptMode.ON || mode === PromptMode.OFF ? undefined : "must be on or off";
}

function findRecordingProblem(mode: RecordingMode): string | undefined {
  return mode !== RecordingMode.UNSPECIFIED && mode in RecordingMode ? undefined : "must be dual, mono or off";
}

/** Requires a primary language subtag of two or three letters, because the BCP 47 registry contains no longer ones. */
function findLanguageProblem(language: string): string | undefined {
  const isShort = language.length <= MAX_LANGUAGE_LENGTH && /^[a-z]{2,3}(-|$)/i.test(language);
  return isShort && isWellFormed(language) ? undefined : "must be a BCP 47 language tag, such as de-DE";
}

function isWellFormed(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length === 1;
  } catch {
    return false;
  }
}

function findCallerIdProblem(callerId: string): string | undefined {
  const isKnown = callerId === "caller" || callerId === "tracking_number" || !findPhoneNumberProblem(callerId);
  return isKnown ? undefined : "must be caller, tracking_number or a phone number in E.164 format";
}
