import type { RejectReason } from "./call-rejection.js";
import type { CallRoute, CallSituation } from "./call-situation.js";
import { type DialStep, type LegName, legNameAt } from "./dial-step.js";
import { type EffectiveCallFlowSettings, effectiveCallFlowSettings } from "./effective-call-flow-settings.js";
import { type CallFlowSettings, PromptMode, RecordingMode } from "./gen/calltracking/v1/call_flow_pb.js";
import { openingAt } from "./opening-hours.js";
import type { PhoneSystemCapability } from "./phone-system.js";
import { pluralize } from "./pluralize.js";
import { quote } from "./quote.js";
import { planRinging } from "./ring-plan.js";
import { phrasesIn } from "./spoken-phrases.js";
import { SOURCE_PLACEHOLDER } from "./spoken-placeholder.js";

/** A spoken text or a sound file. Exactly one of `text` and `url` is set. */
export interface Announcement {
  readonly text?: string;
  /** An `https` URL of a sound file. */
  readonly url?: string;
  /** A BCP 47 tag such as `de-DE`. */
  readonly language: string;
}

export interface DialTarget {
  readonly leg: LegName;
  /** A number in E.164 format, or a SIP URI. */
  readonly destination: string;
}

/** Targets that ring at the same time. The call is connected to the first one that answers. */
export interface Dial {
  readonly step: DialStep;
  /** At least one. */
  readonly targets: readonly DialTarget[];
  /** The number that the business sees, in E.164 format. */
  readonly callerId: string;
  readonly ringSeconds: number;
  /** The announcement to the person who answers; undefined for none. */
  readonly whisper: Announcement | undefined;
  /** The key that accepts the call; undefined if none is required. */
  readonly acceptDigit: string | undefined;
  /** Undefined if the call is not recorded. */
  readonly recording: "dual" | "mono" | undefined;
  readonly maxSeconds: number;
}

export interface VoicemailPlan {
  /** The announcement to the caller before the tone. */
  readonly greeting: Announcement;
  /** Maximum duration of a message. */
  readonly maxSeconds: number;
}

/** The explanation of one step of a call, for `ExplainCall`. */
export interface PlanNote {
  readonly step: "reject" | "closed" | "prompt" | "record" | "dial" | "whisper" | "fallback" | "voicemail" | "hang_up";
  /** Whether the step is taken. If not, the description says why. */
  readonly isDone: boolean;
  readonly description: string;
}

/** The instructions to a phone system for one call. */
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
      /** Whether the business is open; undefined if the call flow is unknown. */
      readonly isOpen?: boolean;
      /** The announcement to the caller before the call is connected; undefined for none. */
      readonly prompt: Announcement | undefined;
      /** Dialed one after another until somebody answers. At least one, unless there is a voicemail. */
      readonly dials: readonly Dial[];
      /** Follows if nobody has answered; undefined for none. */
      readonly voicemail: VoicemailPlan | undefined;
    }
) & {
  /** The steps in order, including skipped ones. */
  readonly notes: readonly PlanNote[];
};

export function planCall(situation: CallSituation): CallPlan {
  const { rejection } = situation;
  if (rejection === undefined) return connect(situation);
  const { reason, description } = rejection;
  return { kind: "reject", reason, notes: [{ step: "reject", isDone: true, description }] };
}

/** Plans a call that is not rejected. The variables `no…` contain the reason why a step is skipped, or undefined if it is taken. */
function connect(situation: CallSituation): CallPlan {
  const { route, phoneSystem } = situation;
  const { isOpen, description } = openingAt(route.flow, situation.now);
  const { ringings, notes: ringNotes, voicemail: wantedVoicemail } = planRinging(situation, isOpen);
  const noDial = ringings.length > 0 ? undefined : "no number is dialed";
  const noPrompt = noDial ?? promptProblem(situation);
  const noRecording = noDial ?? recordingProblem(situation);
  const noWhisper = noDial ?? whisperProblem(situation);

  const settings = effectiveCallFlowSettings(route.flow, route.trackingNumber, noRecording === undefined);
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
  const notes: PlanNote[] = [
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
    const condition = noDial === undefined ? ", if nobody has answered before" : "";
    const message = `can leave a message of up to ${pluralize(maxSeconds, "second")}${condition}`;
    notes.push(noteOf("voicemail", problem, `the caller hears ${announcementText(greeting)} and ${message}`));
  }
  if (noDial !== undefined && voicemail === undefined) return hangUp(situation, isOpen, notes);

  const dials = ringings.map(
    ({ step, destinations, ringSeconds }): Dial => ({
      step,
      targets: destinations.map((destination, index) => ({ leg: legNameAt(step, index), destination })),
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

/** Ends a call without dialing. Only a closed business plays an announcement. */
function hangUp({ route, phoneSystem }: CallSituation, isOpen: boolean, notes: readonly PlanNote[]): CallPlan {
  const { language, closedText, closedUrl } = effectiveCallFlowSettings(route.flow, route.trackingNumber);
  const wanted = isOpen ? undefined : announcementOf(closedText, closedUrl, language);
  const announcement = can(phoneSystem, "prompt") ? wanted : undefined;
  const reason = announcement === wanted ? "" : ": the phone system cannot play the announcement";
  const description = `the caller hears ${announcementText(announcement)}${reason}`;
  return { kind: "hang_up", announcement, notes: [...notes, { step: "hang_up", isDone: true, description }] };
}

function promptProblem({ route, phoneSystem }: CallSituation): string | undefined {
  if (!route.isPrompted) return "the pool is not prompted";
  if (route.flow.prompt === PromptMode.OFF) return "prompt is off";
  return can(phoneSystem, "prompt") ? undefined : "the phone system cannot play a prompt";
}

/** Calls without a prompt are not recorded, because the prompt announces the recording. */
function recordingProblem(situation: CallSituation): string | undefined {
  const { route, phoneSystem } = situation;
  if (!route.isRecorded) return "the pool is not recorded";
  if (route.flow.recording === RecordingMode.OFF) return "recording is off";
  if (!can(phoneSystem, "recording")) return "the phone system cannot record";
  const noPrompt = promptProblem(situation);
  return noPrompt && `the prompt must announce the recording, but ${noPrompt}`;
}

function whisperProblem({ route, phoneSystem }: CallSituation): string | undefined {
  const { whisperText, whisperUrl, acceptDigit } = route.flow;
  if (!whisperText && whisperUrl === undefined && acceptDigit === undefined) return "no whisper is set";
  return can(phoneSystem, "whisper") ? undefined : "the phone system cannot whisper or ask for a key";
}

function can(phoneSystem: CallSituation["phoneSystem"], capability: PhoneSystemCapability): boolean {
  return phoneSystem === undefined || phoneSystem.capabilities.has(capability);
}

/** The number that the business sees as the caller's. If the caller's number is unknown, it is always the tracking number. */
function shownNumber({ route, caller }: CallSituation, { callerId }: EffectiveCallFlowSettings): string {
  if (caller === undefined || callerId === "tracking_number") return route.trackingNumber;
  return callerId === "caller" ? caller : callerId;
}

function shownText({ caller }: CallSituation, { callerId }: EffectiveCallFlowSettings): string {
  if (callerId === "tracking_number") return "the tracking number";
  const shown = callerId === "caller" ? "the caller's number" : callerId;
  return caller === undefined ? `${shown}, or the tracking number for a caller without one` : shown;
}

/** The default prompt is in English if it is not translated into the language. */
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

const DEFAULT_MESSAGE_SECONDS = 120;

/** Separators, and control, format, surrogate, private-use and unassigned characters. */
const UNSPOKEN = /[\p{Z}\p{C}]+/gu;
