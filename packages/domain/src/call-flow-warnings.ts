import { type AllowedDestinations, barredReason, destinationsOf } from "./destination.js";
import {
  type CallFlowSettings,
  CallFlowSettingsSchema,
  PromptMode,
  RecordingMode,
} from "./gen/calltracking/v1/call_flow_pb.js";
import type { PhoneSystemCapability, PhoneSystemRules } from "./phone-system.js";
import { quote } from "./quote.js";
import { callerBracesProblem, whisperBracesProblem } from "./spoken-placeholder.js";
import { unrecordedCallsWarning } from "./unrecorded-calls.js";

/** The facts that decide whether the settings of a call flow have an effect. */
export interface FlowContext {
  /** The settings of the call flow, without defaults. */
  readonly own: CallFlowSettings;
  /** The settings of the call flow, completed by the account's defaults but not by the service's. */
  readonly merged: CallFlowSettings;
  /** Undefined for the default call flow of an account. */
  readonly pool: FlowPool | undefined;
  /** The phone systems of the tracking numbers of the pool or account. */
  readonly phoneSystems: readonly (AllowedDestinations &
    Pick<PhoneSystemRules, "capabilities"> & { readonly name: string })[];
}

interface FlowPool {
  readonly isPrompted: boolean;
  readonly isRecorded: boolean;
  /** In E.164 format. */
  readonly originalNumber: string;
}

/** Returns human-readable warnings about settings of a call flow that have no effect, and about destinations that are not dialed. */
export function listCallFlowWarnings({ own, merged, pool, phoneSystems }: FlowContext): string[] {
  const { prompt, recording, hours, fallbackNumber, closedSteps, acceptDigit, whisperText } = merged;
  const isPromptOff = prompt === PromptMode.OFF;
  const isPrompted = pool?.isPrompted ?? true;
  const isRecordable = pool?.isRecorded ?? own.recording !== undefined;
  const isRecorded = isRecordable && recording !== RecordingMode.OFF;
  const unrecorded = unrecordedCallsWarning({ isPrompted, isRecorded }, isPromptOff);
  const isKeyUnknown = acceptDigit !== undefined && whisperText && !whisperText.includes(acceptDigit);
  const original = pool && ringsOriginal(merged) ? [["original number", pool.originalNumber] as const] : [];
  return [
    ...idle(own, !isPrompted && "the pool is not prompted", "prompt", "promptText", "promptUrl"),
    ...idle(own, isPrompted && isPromptOff && "prompt is off", "promptText", "promptUrl"),
    ...idle(own, pool?.isRecorded === false && "the pool is not recorded", "recording"),
    ...(unrecorded === undefined ? [] : [unrecorded]),
    ...idle(
      own,
      hours === undefined && "there are no opening hours",
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
      closedSteps.length > 0 && "calls outside opening hours ring the closed_steps",
      "closedText",
      "closedUrl",
    ),
    ...listBraces(own),
    ...(isKeyUnknown ? [`whisper_text does not name the key ${acceptDigit}, which accepts the call`] : []),
    ...phoneSystems.flatMap((phoneSystem) => [
      ...(pool === undefined ? [] : listUnsupported(own, phoneSystem)),
      ...listBarred(phoneSystem, original),
      ...listBarred(phoneSystem, destinationsOf(merged)),
    ]),
  ];
}

function ringsOriginal({ steps, closedSteps }: CallFlowSettings): boolean {
  return (
    steps.length === 0 || [...steps, ...closedSteps].some(({ targets }) => targets.some(({ original }) => original))
  );
}

/** Warns about placeholders that an earlier version allowed and stored. */
function listBraces({ promptText = "", whisperText = "", closedText = "" }: CallFlowSettings): string[] {
  const problems = {
    prompt_text: callerBracesProblem(promptText),
    whisper_text: whisperBracesProblem(whisperText),
    closed_text: callerBracesProblem(closedText),
  };
  return Object.entries(problems).flatMap(([name, problem]) => (problem === undefined ? [] : [`${name} ${problem}`]));
}

function listUnsupported(own: CallFlowSettings, { name, capabilities }: FlowContext["phoneSystems"][number]): string[] {
  const phoneSystem = `phone system ${quote(name)}`;
  const cannot = (capability: PhoneSystemCapability, verb: string) =>
    !capabilities.has(capability) && `${phoneSystem} cannot ${verb}`;
  return [
    ...idle(own, cannot("prompt", "play a prompt"), "promptText", "promptUrl", "closedText", "closedUrl"),
    ...idle(own, capabilities.has("recording") && cannot("prompt", "play the notice of a recording"), "recording"),
    ...idle(own, cannot("whisper", "whisper"), "whisperText", "whisperUrl", "acceptDigit"),
    ...idle(own, cannot("recording", "record"), "recording"),
    ...listIdleVoicemails(own, cannot("prompt", "play a greeting") || cannot("recording", "record a message")),
  ];
}

function listIdleVoicemails({ steps, closedSteps }: CallFlowSettings, reason: string | false): string[] {
  if (reason === false) return [];
  return Object.entries({ steps, closed_steps: closedSteps }).flatMap(([field, list]) =>
    list.at(-1)?.voicemail === undefined ? [] : [`${reason}: the voicemail of ${field} has no effect`],
  );
}

/** Warns about destinations that a phone system may not dial, including those that an earlier version allowed and stored. */
function listBarred(
  phoneSystem: FlowContext["phoneSystems"][number],
  destinations: Iterable<readonly [name: string, destination: string]>,
): string[] {
  return Array.from(destinations).flatMap(([name, destination]) => {
    const reason = barredReason(phoneSystem, destination);
    return reason === undefined
      ? []
      : [`phone system ${quote(phoneSystem.name)} may not dial ${name} ${destination}: ${reason}`];
  });
}

/** Warns that the named settings have no effect, if they are set. Returns no warnings if there is no reason. */
function idle(own: CallFlowSettings, reason: string | false, ...names: SettingName[]): string[] {
  if (reason === false) return [];
  const { field } = CallFlowSettingsSchema;
  return names.filter((name) => isSet(own[name])).map((name) => `${reason}: ${field[name].name} has no effect`);
}

type SettingName = Exclude<keyof CallFlowSettings, `$${string}`>;

function isSet(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}
