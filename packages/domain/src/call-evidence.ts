import type { RejectReason } from "./call-rejection.js";
import { compareCodePoints } from "./code-point-order.js";
import { type ByLeg, type ByStep, compareSteps, type DialStep, type LegName, stepOf } from "./dial-step.js";
import type { LegEnd, LegOutcome } from "./leg-end.js";

/** The kinds of evidence for a call's outcome, from the weakest to the strongest. */
export type OutcomeBasis = "timer" | "caller_leg" | "dialed_leg" | "dial_result";

/**
 * The facts about a call in one report from a phone system, or in all its reports so far, merged and stored as JSON in `calls.evidence`.
 * Times are in ISO 8601: the phone system's own or, failing that, when a report arrived. Unknown facts are absent.
 */
export interface CallEvidence {
  /** How each leg to the business was answered and ended. The end of a leg is not the end of the call. */
  readonly dialedLegs?: ByLeg<LegEvidence>;
  /** The result of each dialing step. */
  readonly dialResults?: ByStep<LegEvidence>;
  /** The end of the leg to the caller. It has no outcome if its status, such as `completed`, says nothing about the business. */
  readonly callerLeg?: LegEvidence;
  /** The end of the message that the caller left in the voicemail. Absent if there is none. */
  readonly voicemail?: LegEvidence;
  /** Set if the end of the call was not reported in time. */
  readonly timer?: LegEvidence;
  /** The recording of the last recorded leg. */
  readonly recording?: RecordingEvidence;
  /** How far the phone system trusts the caller's number (STIR, RFC 8224), such as `TN-Validation-Passed-A`. */
  readonly callerAttestation?: string;
  /** How Calltrack answered the voice request. Absent until that request is recorded. */
  readonly answer?: AnswerEvidence;
}

/** The known facts about a leg. */
export interface LegEvidence extends Partial<LegEnd> {
  /** The sequence number of the report of the leg's end: the highest takes precedence. Absent if the phone system sends none. */
  readonly sequence?: number;
  readonly answeredAt?: string;
  /** Whether `answeredAt` is when the report arrived, because the phone system did not say when: the answer was then or earlier. */
  readonly isAnswerArrival?: true;
  readonly endedAt?: string;
  /** Whether `endedAt` is when the report arrived, because the phone system did not say when the leg ended. */
  readonly isEndArrival?: true;
  /** The duration of the dialed leg, if the phone system sends it. */
  readonly durationSeconds?: number;
  /** Whether the next step is dialed, so that the call goes on. */
  readonly isContinued?: true;
  /** Why the call was rejected instead of dialed. Earlier releases neither write this field nor remove a stored one. */
  readonly rejectReason?: RejectReason;
}

/** Calltrack's answer to the voice request for a call. */
export interface AnswerEvidence {
  /** Whether a prompt is played. */
  readonly isPrompted: boolean;
  /** Whether a recording is made. */
  readonly isRecorded: boolean;
  /** When the first answer was sent. Absent in the evidence of earlier releases. */
  readonly sentAt?: string;
  /** The destination of each leg: a number in E.164 format or a SIP URI. Absent if none is dialed, and in the evidence of earlier releases. */
  readonly dialed?: ByLeg<string>;
}

/** The link to a recording. */
export interface RecordingEvidence {
  /** The step whose leg was recorded, or the voicemail. Absent for the step `original`, and if the phone system does not say. */
  readonly step?: Exclude<DialStep, "original"> | "voicemail";
  readonly id: string;
  readonly url: string;
  /** When the link expires. Absent if it does not expire, or if the provider does not say when. */
  readonly expiresAt?: string;
}

/** Returns the step of a recorded leg, as a part of `RecordingEvidence`. */
export function recordedStep(leg: LegName): Pick<RecordingEvidence, "step"> {
  const step = stepOf(leg);
  return step === "original" ? {} : { step };
}

/** Merges evidence about a call. This is commutative, associative and idempotent, so that reports may arrive twice and in any order. */
export function mergeEvidence(one: CallEvidence, other: CallEvidence): CallEvidence {
  const { dialedLegs, dialResults, callerLeg, voicemail, timer, recording, callerAttestation = "", answer } = other;
  const attestation = [one.callerAttestation ?? "", callerAttestation].sort(compareCodePoints)[1];
  return {
    ...one,
    ...(dialedLegs && { dialedLegs: mergeAllLegs(one.dialedLegs, dialedLegs) }),
    ...(dialResults && { dialResults: mergeAllLegs(one.dialResults, dialResults) }),
    ...(callerLeg && { callerLeg: mergeLegs(one.callerLeg, callerLeg) }),
    ...(voicemail && { voicemail: mergeLegs(one.voicemail, voicemail) }),
    ...(timer && { timer: mergeLegs(one.timer, timer) }),
    ...(recording && { recording: laterRecording(one.recording, recording) }),
    ...(attestation && { callerAttestation: attestation }),
    ...(answer && { answer: mergeAnswers(one.answer, answer) }),
  };
}

/** Whether the evidence says that the business answered the call or that the call is over. */
export function isAnsweredOrOver(evidence: CallEvidence): boolean {
  const legs = Object.values(evidence.dialedLegs ?? {});
  return isCallOver(evidence) || legs.some((leg) => leg.answeredAt !== undefined || leg.outcome === "answered");
}

/** Whether the evidence says that the call is over. */
export function isCallOver({ dialResults = {}, callerLeg, voicemail, timer }: CallEvidence): boolean {
  return (
    (callerLeg ?? voicemail ?? timer) !== undefined ||
    Object.values(dialResults).some(({ isContinued }) => !isContinued)
  );
}

/** Returns the earliest time that the phone system states in one report: the call started then or before. Undefined if it states none. */
export function earliestReportedTime({
  dialedLegs,
  dialResults,
  callerLeg,
  voicemail,
}: CallEvidence): Date | undefined {
  const legs = [
    ...Object.values(dialedLegs ?? {}),
    ...Object.values(dialResults ?? {}),
    callerLeg ?? {},
    voicemail ?? {},
  ];
  const times = legs.flatMap((leg) => [statedAnswer(leg), statedEnd(leg)]).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}

/** Returns when a leg was answered, in milliseconds since 1970; undefined if the phone system does not say. */
export function statedAnswer({ answeredAt, isAnswerArrival }: LegEvidence): number | undefined {
  return answeredAt === undefined || isAnswerArrival ? undefined : Date.parse(answeredAt);
}

/** Returns when a leg ended, in milliseconds since 1970; undefined if the phone system does not say. */
export function statedEnd({ endedAt, isEndArrival }: LegEvidence): number | undefined {
  return endedAt === undefined || isEndArrival ? undefined : Date.parse(endedAt);
}

/**
 * The outcomes of a leg, from the weakest to the strongest report. A call that is rejected as a loop is recorded as failed, although the
 * caller hears a busy tone.
 */
const RANKS: readonly (LegOutcome | undefined)[] = [undefined, "missed", "busy", "failed", "answered"];

function mergeAllLegs(
  before: CallEvidence["dialedLegs"],
  added: NonNullable<CallEvidence["dialedLegs"]>,
): NonNullable<CallEvidence["dialedLegs"]> {
  const legs = Object.entries(added).map(([name, leg]) => [name, mergeLegs(before?.[name as LegName], leg)] as const);
  return { ...before, ...Object.fromEntries(legs) };
}

/** Repeated voice requests for a call can get different answers, and the phone system executes only one of them. */
function mergeAnswers(one: AnswerEvidence | undefined, other: AnswerEvidence): AnswerEvidence {
  const sentAt = [one?.sentAt, other.sentAt].filter((time) => time !== undefined).sort()[0];
  const dialed = mergeDialed(one?.dialed, other.dialed);
  return {
    isPrompted: other.isPrompted || (one?.isPrompted ?? false),
    isRecorded: other.isRecorded || (one?.isRecorded ?? false),
    ...(sentAt && { sentAt }),
    ...(dialed && { dialed }),
  };
}

/** If the settings changed between two answers, it is unknown which number rings: choosing either is correct. */
function mergeDialed(one: AnswerEvidence["dialed"], other: AnswerEvidence["dialed"]): AnswerEvidence["dialed"] {
  if (one === undefined || other === undefined) return one ?? other;
  const numbers = [...Object.entries(one), ...Object.entries(other)].sort(([, a], [, b]) => compareCodePoints(b, a));
  return Object.fromEntries(numbers);
}

/** Takes the end with the higher precedence and the first answer. The call goes on only if both reports say so. */
function mergeLegs(one: LegEvidence | undefined, other: LegEvidence): LegEvidence {
  if (one === undefined) return other;
  const { answeredAt: _, isAnswerArrival: __, isContinued: ___, ...end } = compareEnds(one, other) < 0 ? other : one;
  const isContinued = one.isContinued && other.isContinued;
  return { ...end, ...firstAnswer(one, other), ...(isContinued && { isContinued }) };
}

/** Returns the earliest answer whose time the phone system stated or, failing that, the one whose report arrived first. */
function firstAnswer(one: LegEvidence, other: LegEvidence): Pick<LegEvidence, "answeredAt" | "isAnswerArrival"> {
  const [first] = [one, other]
    .filter(({ answeredAt }) => answeredAt !== undefined)
    .sort(
      (a, b) =>
        Number(a.isAnswerArrival ?? false) - Number(b.isAnswerArrival ?? false) ||
        compareCodePoints(a.answeredAt ?? "", b.answeredAt ?? ""),
    );
  const { answeredAt, isAnswerArrival } = first ?? {};
  return { ...(answeredAt && { answeredAt }), ...(isAnswerArrival && { isAnswerArrival }) };
}

/**
 * Orders two reported ends of a leg by precedence: first the higher sequence number, then the stronger outcome, then a time that the phone
 * system stated, then the earlier time. The other comparisons make the order total.
 */
function compareEnds(one: LegEvidence, other: LegEvidence): number {
  return (
    (one.sequence ?? -1) - (other.sequence ?? -1) ||
    RANKS.indexOf(one.outcome) - RANKS.indexOf(other.outcome) ||
    Number(one.isAbandoned ?? false) - Number(other.isAbandoned ?? false) ||
    Number(other.isEndArrival ?? false) - Number(one.isEndArrival ?? false) ||
    compareCodePoints(other.endedAt ?? LAST, one.endedAt ?? LAST) ||
    (one.durationSeconds ?? -1) - (other.durationSeconds ?? -1) ||
    compareCodePoints(one.rejectReason ?? "", other.rejectReason ?? "")
  );
}

/** Sorts after every time in ISO 8601. */
const LAST = "\uffff";

/** Takes the recording of the later step or, of two links to the same recording, the one that expires later. */
function laterRecording(one: RecordingEvidence | undefined, other: RecordingEvidence): RecordingEvidence {
  return one !== undefined && compareRecordings(one, other) >= 0 ? one : other;
}

function compareRecordings(one: RecordingEvidence, other: RecordingEvidence): number {
  return (
    Number(one.step === "voicemail") - Number(other.step === "voicemail") ||
    compareSteps(dialStepOf(one), dialStepOf(other)) ||
    compareCodePoints(one.id, other.id) ||
    compareCodePoints(one.expiresAt ?? "", other.expiresAt ?? "") ||
    compareCodePoints(one.url, other.url)
  );
}

function dialStepOf({ step }: RecordingEvidence): DialStep {
  return step === undefined || step === "voicemail" ? "original" : step;
}
