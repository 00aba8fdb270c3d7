import { type AllowedNumbers, barredNumberReason } from "./allowed-numbers.js";
import type { Rejection, RejectReason } from "./call-rejection.js";
import type { DialStep } from "./dial-step.js";
import { type EffectiveCallFlowSettings, effectiveCallFlowSettings } from "./effective-call-flow-settings.js";
import { type CallFlowSettings, PromptMode, RecordingMode } from "./gen/calltracking/v1/call_flow_pb.js";
import { openingAt } from "./opening-hours.js";
import type { PhoneSystemCapability, PhoneSystemRules } from "./phone-system.js";
import { pluralize } from "./pluralize.js";
import { quote } from "./quote.js";
import { phrasesIn } from "./spoken-phrases.js";
import { SOURCE_PLACEHOLDER } from "./spoken-placeholder.js";

/** A text or sound that a person hears. Exactly one of `text` and `url` is set. */
export interface Announcement {
  readonly text?: string;
  /** An `https` URL of a sound file. */
  readonly url?: string;
  /** A BCP 47 tag such as `de-DE`. */
  readonly language: string;
}

/** One number to dial. */
export interface Dial {
  readonly step: DialStep;
  /** In E.164 format. */
  readonly number: string;
  /** The number that the business sees, in E.164 format. */
  readonly callerId: string;
  readonly ringSeconds: number;
  /** Said to the person who answers; undefined for nothing. */
  readonly whisper: Announcement | undefined;
  /** The key that accepts the call; undefined if none is asked for. */
  readonly acceptDigit: string | undefined;
  /** Undefined if the call is not recorded. */
  readonly recording: "dual" | "mono" | undefined;
  readonly maxSeconds: number;
}

/** A step of a call and the reason for it, for `explain`. */
export interface PlanNote {
  readonly step: "reject" | "closed" | "prompt" | "record" | "dial" | "whisper" | "fallback" | "hang_up";
  /** Whether the step is done. If not, the description says why. */
  readonly isDone: boolean;
  readonly description: string;
}

/** The instructions for a phone system about a call. */
export type CallPlan = (
  | {
      readonly kind: "reject";
      readonly reason: RejectReason;
    }
  | {
      /** The business is closed, and there is no number to dial. */
      readonly kind: "hang_up";
      readonly announcement: Announcement | undefined;
    }
  | {
      readonly kind: "dial";
      /** Said to the caller first; undefined for nothing. */
      readonly prompt: Announcement | undefined;
      /** At least one: each further one is dialed if those before did not answer. */
      readonly dials: readonly Dial[];
    }
) & {
  /** The steps in their order, with those left out and why. */
  readonly notes: readonly PlanNote[];
};

/** Where a call to a tracking number goes, as the database or the cache says. */
export interface CallRoute {
  /** In E.164 format. */
  readonly trackingNumber: string;
  readonly accountId: number;
  readonly accountToken: string;
  readonly poolId: string;
  readonly callTrackerId: string;
  /** The number of the business, in E.164 format. */
  readonly originalNumber: string;
  readonly source: string | undefined;
  readonly medium: string | undefined;
  readonly isPrompted: boolean;
  readonly isRecorded: boolean;
  /** The pool's settings over the account's, without the service's defaults. */
  readonly flow: CallFlowSettings;
  /** Whether the fallback number of the flow is a tracking number by now: then it is not dialed. */
  readonly isFallbackTracked: boolean;
  /** Whether the call tracker has given the number back, so that it only keeps the number's calls until the next one. */
  readonly isReleased: boolean;
  /** The phone system that the number names. */
  readonly phoneSystemId: string | undefined;
}

/** A call to plan. */
export interface CallSituation {
  readonly route: CallRoute;
  /** The phone system that the call arrives at; undefined if it is unknown, which is then taken to be capable of everything. */
  readonly phoneSystem: (AllowedNumbers & Pick<PhoneSystemRules, "capabilities">) | undefined;
  /** The caller's number in E.164 format; undefined if it is withheld or unreadable. */
  readonly caller: string | undefined;
  /** Undefined if the call is connected. */
  readonly rejection: Rejection | undefined;
  readonly now: Date;
}

/** Decides what a phone system does with a call to a tracking number. */
export function planCall(situation: CallSituation): CallPlan {
  const { rejection } = situation;
  if (rejection === undefined) return connect(situation);
  const { reason, description } = rejection;
  return { kind: "reject", reason, notes: [{ step: "reject", isDone: true, description }] };
}

/** Takes the steps in their order. Each has a problem, for which it is left out, or undefined. */
function connect(situation: CallSituation): CallPlan {
  const { route } = situation;
  const { isOpen, description } = openingAt(route.flow, situation.now);
  const noOriginal = isOpen ? destinationProblem(situation, route.originalNumber) : "the business is closed";
  const noFallback = fallbackProblem(situation);
  const noDial = noOriginal === undefined || noFallback === undefined ? undefined : "no number is dialed";
  const noPrompt = noDial ?? promptProblem(situation);
  const noRecording = noDial ?? recordingProblem(situation);
  const noWhisper = noDial ?? whisperProblem(situation);

  const settings = effectiveCallFlowSettings(route.flow, route.trackingNumber, noRecording === undefined);
  const prompt = noPrompt === undefined ? promptOf(route.flow, settings) : undefined;
  const whisper = noWhisper === undefined ? whisperOf(route, settings) : undefined;
  const channels = settings.recording === RecordingMode.MONO ? "mono" : "dual";
  const ringing = `for ${pluralize(settings.ringSeconds, "second")}, showing ${shownText(situation, settings)}`;
  const notes: PlanNote[] = [
    { step: "closed", isDone: !isOpen, description },
    noteOf("prompt", noPrompt, `the caller hears ${announcementText(prompt)}`),
    noteOf("record", noRecording, `the call is recorded (${channels})`),
    noteOf("dial", noOriginal, `rings ${route.originalNumber} ${ringing}`),
    noteOf("whisper", noWhisper, `the person who answers hears ${announcementText(whisper)}${keyText(settings)}`),
    noteOf(
      "fallback",
      noFallback,
      `rings ${settings.fallbackNumber} ${ringing}${isOpen ? ", if the first number does not answer" : ""}`,
    ),
  ];
  if (noDial !== undefined) return hangUp(situation, isOpen, notes);

  const dial = (step: DialStep, number: string | undefined): Dial => ({
    step,
    number: number as string,
    callerId: shownNumber(situation, settings),
    ringSeconds: settings.ringSeconds,
    whisper,
    acceptDigit: whisper && settings.acceptDigit,
    recording: noRecording === undefined ? channels : undefined,
    maxSeconds: settings.maxMinutes * 60,
  });
  const dials = [
    ...(noOriginal === undefined ? [dial("original", route.originalNumber)] : []),
    ...(noFallback === undefined ? [dial("fallback", settings.fallbackNumber)] : []),
  ];
  return { kind: "dial", prompt, dials, notes };
}

/** Ends a call without dialing. Only a closed business says something. */
function hangUp({ route, phoneSystem }: CallSituation, isOpen: boolean, notes: readonly PlanNote[]): CallPlan {
  const { language, closedText, closedUrl } = effectiveCallFlowSettings(route.flow, route.trackingNumber);
  const wanted = isOpen ? undefined : announcementOf(closedText, closedUrl, language);
  const announcement = can(phoneSystem, "prompt") ? wanted : undefined;
  const reason = announcement === wanted ? "" : ": the phone system cannot play the announcement";
  const description = `the caller hears ${announcementText(announcement)}${reason}`;
  return { kind: "hang_up", announcement, notes: [...notes, { step: "hang_up", isDone: true, description }] };
}

function destinationProblem({ phoneSystem }: CallSituation, number: string): string | undefined {
  const reason = phoneSystem && barredNumberReason(phoneSystem, number);
  return reason && `the phone system may not dial ${number}: ${reason}`;
}

function fallbackProblem(situation: CallSituation): string | undefined {
  const { flow, originalNumber, isFallbackTracked } = situation.route;
  if (flow.fallbackNumber === undefined) return "no fallback number is set";
  if (flow.fallbackNumber === originalNumber) return "the fallback number is the original number";
  if (isFallbackTracked) return `${flow.fallbackNumber} is a tracking number, so calls to it would loop`;
  return destinationProblem(situation, flow.fallbackNumber);
}

function promptProblem({ route, phoneSystem }: CallSituation): string | undefined {
  if (!route.isPrompted) return "the pool is not prompted";
  if (route.flow.prompt === PromptMode.OFF) return "prompt is off";
  return can(phoneSystem, "prompt") ? undefined : "the phone system cannot play a prompt";
}

/** A recording needs the prompt, which contains its notice. */
function recordingProblem(situation: CallSituation): string | undefined {
  const { route, phoneSystem } = situation;
  if (!route.isRecorded) return "the pool is not recorded";
  if (route.flow.recording === RecordingMode.OFF) return "recording is off";
  if (!can(phoneSystem, "recording")) return "the phone system cannot record";
  const noPrompt = promptProblem(situation);
  return noPrompt && `its notice is part of the prompt, and ${noPrompt}`;
}

function whisperProblem({ route, phoneSystem }: CallSituation): string | undefined {
  const { whisperText, whisperUrl, acceptDigit } = route.flow;
  if (!whisperText && whisperUrl === undefined && acceptDigit === undefined) return "no whisper is set";
  return can(phoneSystem, "whisper") ? undefined : "the phone system cannot whisper or ask for a key";
}

function can(phoneSystem: CallSituation["phoneSystem"], capability: PhoneSystemCapability): boolean {
  return phoneSystem === undefined || phoneSystem.capabilities.has(capability);
}

/** The number that the business sees. A caller without a number is always shown by the tracking number. */
function shownNumber({ route, caller }: CallSituation, { callerId }: EffectiveCallFlowSettings): string {
  if (caller === undefined || callerId === "tracking_number") return route.trackingNumber;
  return callerId === "caller" ? caller : callerId;
}

function shownText({ caller }: CallSituation, { callerId }: EffectiveCallFlowSettings): string {
  if (callerId === "tracking_number") return "the tracking number";
  const shown = callerId === "caller" ? "the caller's number" : callerId;
  return caller === undefined ? `${shown}, or the tracking number for a caller without one` : shown;
}

/** The default prompt is said in English if it is not translated. */
function promptOf(
  flow: CallFlowSettings,
  { promptText, promptUrl, language }: EffectiveCallFlowSettings,
): Announcement | undefined {
  const spoken = flow.promptText === undefined ? phrasesIn(language).language : language;
  return announcementOf(promptText, promptUrl, spoken);
}

function whisperOf({ source }: CallRoute, settings: EffectiveCallFlowSettings): Announcement | undefined {
  const { whisperText, whisperUrl, acceptDigit, language } = settings;
  const phrases = phrasesIn(language);
  if (whisperUrl !== undefined) return { url: whisperUrl, language };
  if (!whisperText)
    return { text: phrases.acceptance.replace("{digit}", () => acceptDigit ?? ""), language: phrases.language };
  const spoken = Array.from((source ?? phrases.unknownSource).replace(UNSPOKEN, " ").trim());
  const name = spoken.slice(0, MAX_SOURCE_LENGTH).join("");
  return { text: whisperText.replaceAll(SOURCE_PLACEHOLDER, () => name), language };
}

function announcementOf(text: string | undefined, url: string | undefined, language: string): Announcement | undefined {
  if (url !== undefined) return { url, language };
  return text ? { text, language } : undefined;
}

function announcementText({ text, url }: Partial<Announcement> = {}): string {
  return url ?? (text === undefined ? "nothing" : quote(text));
}

function keyText({ acceptDigit }: EffectiveCallFlowSettings): string {
  return acceptDigit === undefined ? "" : ` and accepts the call with the key ${acceptDigit}`;
}

function noteOf(step: PlanNote["step"], problem: string | undefined, description: string): PlanNote {
  return { step, isDone: problem === undefined, description: problem ?? description };
}

const MAX_SOURCE_LENGTH = 60;

/** Separators, and control, format, surrogate, private-use and unassigned characters. */
const UNSPOKEN = /[\p{Z}\p{C}]+/gu;
