import type { RejectReason } from "./call-rejection.js";
import type { CallRoute, CallSituation } from "./call-situation.js";
import { type DialStep, type LegName, nameLeg } from "./dial-step.js";
import { applyCallFlowDefaults, type EffectiveCallFlowSettings } from "./effective-call-flow-settings.js";
import { type CallFlowSettings, PromptMode, RecordingMode } from "./gen/calltracking/v1/call_flow_pb.js";
import { determineOpeningState } from "./opening-hours.js";
import type { PhoneSystemCapability } from "./phone-system.js";
import { pluralize } from "./pluralize.js";
import { quoteValue } from "./quote-value.js";
import { planRinging } from "./ring-plan.js";
import { findSpokenPhrases } from "./spoken-phrases.js";
import { SOURCE_PLACEHOLDER } from "./spoken-placeholder.js";

/** A text that is spoken or a sound file that is played in a call. Exactly one of `text` and `url` is set. */
export interface Announcement {
  readonly text?: string;
  /** An `https` URL of a sound file. */
  readonly url?: string;
  /** A BCP 47 tag such as `de-DE`. */
  readonly language: string;
}

export interface DialTarget {
  readonly leg: LegName;
  /** A phone number in E.164 format, or a SIP URI. */
  readonly destination: string;
}

/** The instruction to ring targets at the same time. The call is connected to the first target that answers. */
export interface DialInstruction {
  readonly step: DialStep;
  /** At least one target. */
  readonly targets: readonly DialTarget[];
  /** The number that the business sees as the caller's, in E.164 format. */
  readonly callerId: string;
  readonly ringSeconds: number;
  /** The announcement to the person who answers; undefined if there is none. */
  readonly whisper: Announcement | undefined;
  /** The key with which the person who answers accepts the call; undefined if no key is required. */
  readonly acceptDigit: string | undefined;
  /** How the call is recorded; undefined if it is not recorded. */
  readonly recording: "dual" | "mono" | undefined;
  readonly maxSeconds: number;
}

export interface VoicemailPlan {
  /** The announcement that the caller hears before the tone. */
  readonly greeting: Announcement;
  /** Maximum duration of the caller's message. */
  readonly maxSeconds: number;
}

/** The explanation of one step of a call, which `ExplainCall` returns. */
export interface CallPlanNote {
  readonly step: "reject" | "closed" | "prompt" | "record" | "dial" | "whisper" | "fallback" | "voicemail" | "hang_up";
  /** Whether the step is carried out. If it is skipped, the description says why. */
  readonly isDone: boolean;
  readonly description: string;
}

/** The instructions that a phone system gets for one call. */
export type CallPlan = (
  | {
      readonly kind: "reject";
      readonly reason: RejectReason;
    }
  | {
      /** The call ends without dialing a number. */
      readonly kind: "hang_up";
      readonly announcement: Announcement | undefined;
    }
  | {
      readonly kind: "dial";
      /** Whether the business is open; undefined if the call flow is unknown. */
      readonly isOpen?: boolean;
      /** The announcement that the caller hears before the call is connected; undefined if there is none. */
      readonly prompt: Announcement | undefined;
      /** Carried out one after another until somebody answers. Has at least one element, unless there is a voicemail. */
      readonly dials: readonly DialInstruction[];
      /** The voicemail that the caller gets if nobody answers; undefined if there is none. */
      readonly voicemail: VoicemailPlan | undefined;
    }
) & {
  /** The steps of the call in order, including skipped steps. */
  readonly notes: readonly CallPlanNote[];
};

export function planCall(situation: CallSituation): CallPlan {
  const { rejection } = situation;
  if (rejection === undefined) return connect(situation);
  const { reason, description } = rejection;
  return { kind: "reject", reason, notes: [{ step: "reject", isDone: true, description }] };
}

/** Plans a call that is not rejected. Each variable `no…` contains the reason to skip a step. It is undefined if the step is carried out. */
function connect(situation: CallSituation): CallPlan {
  const { route, phoneSystem } = situation;
  const { isOpen, description } = determineOpeningState(route.flow, situation.now);
  const { ringings, notes: ringNotes, voicemail: wantedVoicemail } = planRinging(situation, isOpen);
  const noDial = ringings.length > 0 ? undefined : "no number is dialed";
  const noPrompt = noDial ?? findPromptProblem(situation);
  const noRecording = noDial ?? findRecordingProblem(situation);
  const noWhisper = noDial ?? findWhisperProblem(situation);

  const settings = applyCallFlowDefaults(route.flow, route.trackingNumber, noRecording === undefined);
  const prompt = noPrompt === undefined ? promptOf(route.flow, settings) : undefined;
  const whisper = noWhisper === undefined ? whisperOf(route, settings) : undefined;
  const channels = settings.recording === RecordingMode.MONO ? "mono" : "dual";
  const shown = shownText(situation, settings);
  const voicemail = can(phoneSystem, "prompt") && can(phoneSystem, "recording") ? wantedVoicemail : undefined;
  const greeting = announcementOf(wantedVoicemail?.greetingText, wantedVoicemail?.greetingUrl, settings.language);
  const maxSeconds = wantedVoicemail?.maxSeconds ?? DEFAULT_MESSAGE_SECONDS;
  const [firstRing, ...laterRings] = ringNotes.map(({ step, problem, whom, ringSeconds, condition }) => {
    const duration = pluralize(ringSeconds ?? settings.ringSeconds, "second");
    return noteOf(step, problem, `${whom} for ${duration}, showing ${shown}${condition}`);
  });
  const notes: CallPlanNote[] = [
    { step: "closed", isDone: !isOpen, description },
    noteOf("prompt", noPrompt, `the caller hears ${announcementText(prompt)}`),
    noteOf("record", noRecording, `the call is recorded (${channels})`),
    ...(firstRing === undefined ? [] : [firstRing]),
    noteOf("whisper", noWhisper, `the person who answers hears ${announcementText(whisper)}${keyText(settings)}`),
    ...laterRings,
  ];
  if (wantedVoicemail !== undefined) {
    const problem =
      voicemail === undefined ? "the phone system cannot play a greeting and record a message" : undefined;
    const condition = noDial === undefined ? ", if nobody has answered" : "";
    const message = `can leave a message of up to ${pluralize(maxSeconds, "second")}${condition}`;
    notes.push(noteOf("voicemail", problem, `the caller hears ${announcementText(greeting)} and ${message}`));
  }
  if (noDial !== undefined && voicemail === undefined) return hangUp(situation, isOpen, notes);

  const dials = ringings.map(
    ({ step, destinations, ringSeconds }): DialInstruction => ({
      step,
      targets: destinations.map((destination, index) => ({ leg: nameLeg(step, index), destination })),
      callerId: shownNumber(situation, settings),
      ringSeconds: ringSeconds ?? settings.ringSeconds,
      whisper,
      acceptDigit: whisper && settings.acceptDigit,
      recording: noRecording === undefined ? channels : undefined,
      maxSeconds: settings.maxMinutes * 60,
    }),
  );
  return { kind: "dial", isOpen, prompt, dials, voicemail: voicemail && greeting && { greeting, maxSeconds }, notes };
}

/** Plans a call that ends without dialing a number. The caller hears an announcement only if the business is closed. */
function hangUp({ route, phoneSystem }: CallSituation, isOpen: boolean, notes: readonly CallPlanNote[]): CallPlan {
  const { language, closedText, closedUrl } = applyCallFlowDefaults(route.flow, route.trackingNumber);
  const wanted = isOpen ? undefined : announcementOf(closedText, closedUrl, language);
  const announcement = can(phoneSystem, "prompt") ? wanted : undefined;
  const reason = announcement === wanted ? "" : ": the phone system cannot play the announcement";
  const description = `the caller hears ${announcementText(announcement)}${reason}`;
  return { kind: "hang_up", announcement, notes: [...notes, { step: "hang_up", isDone: true, description }] };
}

function findPromptProblem({ route, phoneSystem }: CallSituation): string | undefined {
  if (!route.isPrompted) return "is_prompted of the pool is false";
  if (route.flow.prompt === PromptMode.OFF) return "the setting prompt is off";
  return can(phoneSystem, "prompt") ? undefined : "the phone system cannot play a prompt";
}

/** Calls without a prompt are not recorded, because the prompt announces the recording. */
function findRecordingProblem(situation: CallSituation): string | undefined {
  const { route, phoneSystem } = situation;
  if (!route.isRecorded) return "is_recorded of the pool is false";
  if (route.flow.recording === RecordingMode.OFF) return "the setting recording is off";
  if (!can(phoneSystem, "recording")) return "the phone system cannot record calls";
  const noPrompt = findPromptProblem(situation);
  return noPrompt && `the prompt must announce the recording, but ${noPrompt}`;
}

function findWhisperProblem({ route, phoneSystem }: CallSituation): string | undefined {
  const { whisperText, whisperUrl, acceptDigit } = route.flow;
  if (!whisperText && whisperUrl === undefined && acceptDigit === undefined)
    return "neither a whisper nor accept_digit is set";
  return can(phoneSystem, "whisper") ? undefined : "the phone system cannot play a whisper or wait for a key";
}

function can(phoneSystem: CallSituation["phoneSystem"], capability: PhoneSystemCapability): boolean {
  return phoneSystem === undefined || phoneSystem.capabilities.has(capability);
}

/** Returns the number that the business sees as the caller's: always the tracking number if the caller's number is unknown. */
function shownNumber({ route, caller }: CallSituation, { callerId }: EffectiveCallFlowSettings): string {
  if (caller === undefined || callerId === "tracking_number") return route.trackingNumber;
  return callerId === "caller" ? caller : callerId;
}

function shownText({ caller }: CallSituation, { callerId }: EffectiveCallFlowSettings): string {
  if (callerId === "tracking_number") return "the tracking number";
  const shown = callerId === "caller" ? "the caller's number" : callerId;
  return caller === undefined ? `${shown}, or the tracking number if the caller's number is unknown` : shown;
}

/** Returns the prompt. The default prompt is in English if the service has no translation into the language of the call flow. */
function promptOf(
  flow: CallFlowSettings,
  { promptText, promptUrl, language }: EffectiveCallFlowSettings,
): Announcement | undefined {
  const spoken = flow.promptText === undefined ? findSpokenPhrases(language).language : language;
  return announcementOf(promptText, promptUrl, spoken);
}

function whisperOf({ source }: CallRoute, settings: EffectiveCallFlowSettings): Announcement | undefined {
  const { whisperText, whisperUrl, acceptDigit, language } = settings;
  const phrases = findSpokenPhrases(language);
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
  return url ?? (text === undefined ? "nothing" : quoteValue(text));
}

function keyText({ acceptDigit }: EffectiveCallFlowSettings): string {
  return acceptDigit === undefined ? "" : ` and accepts the call with the key ${acceptDigit}`;
}

function noteOf(step: CallPlanNote["step"], problem: string | undefined, description: string): CallPlanNote {
  return { step, isDone: problem === undefined, description: problem ?? description };
}

const MAX_SOURCE_LENGTH = 60;

const DEFAULT_MESSAGE_SECONDS = 120;

/** Separators, and control, format, surrogate, private-use and unassigned characters. */
const UNSPOKEN = /[\p{Z}\p{C}]+/gu;
