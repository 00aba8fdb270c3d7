import { type AllowedDestinations, findBarredDestinationReason, listCallFlowDestinations } from "./destination.js";
import {
  type CallFlowSettings,
  CallFlowSettingsSchema,
  PromptMode,
  RecordingMode,
} from "./gen/calltracking/v1/call_flow_pb.js";
import type { PhoneSystemCapability, PhoneSystemRules } from "./phone-system.js";
import { quoteValue } from "./quote-value.js";
import { findCallerTextBracesProblem, findWhisperBracesProblem } from "./spoken-placeholder.js";
import { findUnrecordedCallsWarning } from "./unrecorded-calls.js";

/** A call flow, and the facts that decide whether its settings have an effect. */
export interface CallFlowContext {
  /** The settings of the call flow, without defaults. */
  readonly own: CallFlowSettings;
  /** The settings of the call flow, completed by the account's defaults but not by the service's. */
  readonly merged: CallFlowSettings;
  /** The pool that the call flow belongs to; undefined for the default call flow of an account. */
  readonly pool: FlowPool | undefined;
  /** The phone systems of the pool's tracking numbers. For the default call flow of an account, the phone systems of all its pools. */
  readonly phoneSystems: readonly (AllowedDestinations &
    Pick<PhoneSystemRules, "capabilities"> & { readonly name: string })[];
}

interface FlowPool {
  readonly isPrompted: boolean;
  readonly isRecorded: boolean;
  /** The pool's original number in E.164 format. */
  readonly originalNumber: string;
}

/** Lists human-readable warnings about settings of a call flow that have no effect, and about destinations that are not dialed. */
export function listCallFlowWarnings({ own, merged, pool, phoneSystems }: CallFlowContext): string[] {
  const { prompt, recording, hours, fallbackNumber, closedSteps, acceptDigit, whisperText } = merged;
  const isPromptOff = prompt === PromptMode.OFF;
  const isPrompted = pool?.isPrompted ?? true;
  const isRecordable = pool?.isRecorded ?? own.recording !== undefined;
  const isRecorded = isRecordable && recording !== RecordingMode.OFF;
  const unrecorded = findUnrecordedCallsWarning({ isPrompted, isRecorded }, isPromptOff);
  const isKeyUnknown = acceptDigit !== undefined && whisperText && !whisperText.includes(acceptDigit);
  const original = pool && ringsOriginal(merged) ? [["original number", pool.originalNumber] as const] : [];
  return [
    ...idle(own, !isPrompted && "is_prompted of the pool is false", "prompt", "promptText", "promptUrl"),
    ...idle(own, isPrompted && isPromptOff && "the setting prompt is off", "promptText", "promptUrl"),
    ...idle(own, pool?.isRecorded === false && "is_recorded of the pool is false", "recording"),
    ...(unrecorded === undefined ? [] : [unrecorded]),
    ...idle(
      own,
      hours === undefined && "no opening hours are set",
      "closedDates",
      "specialDays",
      "closedText",
      "closedUrl",
      "closedSteps",
    ),
    ...idle(
      own,
      fallbackNumber !== undefined && "calls outside opening hours ring the fallback number",
      "closedText",
      "closedUrl",
    ),
    ...idle(
      own,
      closedSteps.length > 0 && "calls outside opening hours follow the closed_steps",
      "closedText",
      "closedUrl",
    ),
    ...listBraces(own),
    ...(isKeyUnknown
      ? [`whisper_text does not mention the key ${acceptDigit}, which accepts the call: mention it in the text`]
      : []),
    ...phoneSystems.flatMap((phoneSystem) => [
      ...(pool === undefined ? [] : listUnsupported(own, phoneSystem)),
      ...listBarred(phoneSystem, original),
      ...listBarred(phoneSystem, listCallFlowDestinations(merged)),
    ]),
  ];
}

function ringsOriginal({ steps, closedSteps }: CallFlowSettings): boolean {
  return (
    steps.length === 0 || [...steps, ...closedSteps].some(({ targets }) => targets.some(({ original }) => original))
  );
}

/** Warns about braces in stored texts. An earlier version accepted braces, and phone systems read them aloud. */
function listBraces({ promptText = "", whisperText = "", closedText = "" }: CallFlowSettings): string[] {
  const problems = {
    prompt_text: findCallerTextBracesProblem(promptText),
    whisper_text: findWhisperBracesProblem(whisperText),
    closed_text: findCallerTextBracesProblem(closedText),
  };
  return Object.entries(problems).flatMap(([name, problem]) => (problem === undefined ? [] : [`${name} ${problem}`]));
}

function listUnsupported(
  own: CallFlowSettings,
  { name, capabilities }: CallFlowContext["phoneSystems"][number],
): string[] {
  const phoneSystem = `phone system ${quoteValue(name)}`;
  const cannot = (capability: PhoneSystemCapability, verb: string) =>
    !capabilities.has(capability) && `${phoneSystem} cannot ${verb}`;
  return [
    ...idle(own, cannot("prompt", "play a prompt"), "promptText", "promptUrl", "closedText", "closedUrl"),
    ...idle(
      own,
      capabilities.has("recording") && cannot("prompt", "play the prompt that announces a recording"),
      "recording",
    ),
    ...idle(own, cannot("whisper", "play a whisper"), "whisperText", "whisperUrl", "acceptDigit"),
    ...idle(own, cannot("recording", "record calls"), "recording"),
    ...listIdleVoicemails(own, cannot("prompt", "play a greeting") || cannot("recording", "record a message")),
  ];
}

function listIdleVoicemails({ steps, closedSteps }: CallFlowSettings, reason: string | false): string[] {
  if (reason === false) return [];
  return Object.entries({ steps, closed_steps: closedSteps }).flatMap(([field, list]) =>
    list.at(-1)?.voicemail === undefined ? [] : [`${reason}: the voicemail of ${field} has no effect`],
  );
}

/** Warns about destinations that a phone system may not dial, including stored ones that an earlier version accepted. */
function listBarred(
  phoneSystem: CallFlowContext["phoneSystems"][number],
  destinations: Iterable<readonly [name: string, destination: string]>,
): string[] {
  return Array.from(destinations).flatMap(([name, destination]) => {
    const reason = findBarredDestinationReason(phoneSystem, destination);
    return reason === undefined
      ? []
      : [`phone system ${quoteValue(phoneSystem.name)} may not dial ${name} ${destination}: ${reason}`];
  });
}

/** Returns a warning for each named setting that is set but has no effect for the given reason. Returns no warnings if `reason` is false. */
function idle(own: CallFlowSettings, reason: string | false, ...names: SettingName[]): string[] {
  if (reason === false) return [];
  const { field } = CallFlowSettingsSchema;
  return names.filter((name) => isSet(own[name])).map((name) => `${reason}: ${field[name].name} has no effect`);
}

type SettingName = Exclude<keyof CallFlowSettings, `$${string}`>;

function isSet(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}
