import type { RejectReason } from "./call-rejection.js";
import { compareCodePoints } from "./code-point-order.js";
import {
  compareDialSteps,
  type DialStep,
  getLegDialStep,
  type LegName,
  type RecordByDialStep,
  type RecordByLegName,
} from "./dial-step.js";
import type { LegEnd, LegOutcome } from "./leg-end.js";

/** The kind of evidence that determined a call's outcome, ordered from the weakest to the strongest. */
export type OutcomeBasis = "timer" | "caller_leg" | "dialed_leg" | "dial_result";

/**
 * The facts about a call from one report of a phone system, or from all its reports so far, merged. Stored as JSON in `calls.evidence`.
 * Times are in ISO 8601: stated by the phone system or, if it states none, when its report arrived. Unknown facts are absent.
 */
export interface CallEvidence {
  /** When each leg to the business was answered and ended. The call can go on after the end of such a leg. */
  readonly dialedLegs?: RecordByLegName<LegEvidence>;
  /** The result of each dialing step. */
  readonly dialResults?: RecordByDialStep<LegEvidence>;
  /** The end of the leg to the caller. Its outcome is absent if its status, such as `completed`, says nothing about the business. */
  readonly callerLeg?: LegEvidence;
  /** The end of the message that the caller left in the voicemail. Absent if the caller left no message. */
  readonly voicemail?: LegEvidence;
  /** Set if the phone system did not report the end of the call within the time limit. */
  readonly timer?: LegEvidence;
  /** The recording of the last recorded leg. */
  readonly recording?: RecordingEvidence;
  /** How far the phone system trusts that the caller's number is genuine (STIR, RFC 8224), such as `TN-Validation-Passed-A`. */
  readonly callerAttestation?: string;
  /** How Calltrack answered the voice request for the call. Absent until the voice request is recorded. */
  readonly answer?: VoiceAnswerEvidence;
}

/** The facts that a phone system reported about one leg of a call, or about the result of dialing. Unknown facts are absent. */
export interface LegEvidence extends Partial<LegEnd> {
  /** The sequence number of the report that the leg ended: the highest takes precedence. Absent if the phone system sends none. */
  readonly sequence?: number;
  readonly answeredAt?: string;
  /** Whether `answeredAt` is the time at which the report arrived, because the phone system stated none. The leg was answered then or earlier. */
  readonly isAnswerArrival?: true;
  readonly endedAt?: string;
  /** Whether `endedAt` is the time at which the report arrived, because the phone system did not say when the leg ended. */
  readonly isEndArrival?: true;
  /** The duration of the dialed leg, from answer to end. Absent if the phone system sends none. */
  readonly durationSeconds?: number;
  /** Whether the call goes on after this result, because the next step of the call flow is dialed. */
  readonly isContinued?: true;
  /** Why the call was rejected instead of dialed. Earlier releases do not write this field, but keep a stored one. */
  readonly rejectReason?: RejectReason;
}

/** Calltrack's answer to the voice request for a call. */
export interface VoiceAnswerEvidence {
  /** Whether the answer makes the phone system play a prompt. */
  readonly isPrompted: boolean;
  /** Whether the answer makes the phone system record the call. */
  readonly isRecorded: boolean;
  /** When Calltrack first answered a voice request for the call. Absent in evidence that an earlier release stored. */
  readonly sentAt?: string;
  /** The E.164 number or SIP URI that each leg dials. Absent if no leg dials, and in evidence that an earlier release stored. */
  readonly dialed?: RecordByLegName<string>;
}

/** The link to the recording of a call or of a voicemail message. */
export interface RecordingEvidence {
  /** The step whose leg was recorded, or the voicemail. Absent for the step `original`, and if the phone system does not say. */
  readonly step?: Exclude<DialStep, "original"> | "voicemail";
  readonly id: string;
  readonly url: string;
  /** When the link to the recording expires. Absent if it does not expire, or if the provider does not say when. */
  readonly expiresAt?: string;
}

/** Returns the field `step` of `RecordingEvidence` for a recorded leg. */
export function getRecordedStep(leg: LegName): Pick<RecordingEvidence, "step"> {
  const step = getLegDialStep(leg);
  return step === "original" ? {} : { step };
}

/** Merges evidence about one call. The merge is commutative, associative and idempotent, so that reports may arrive twice and in any order. */
export function mergeCallEvidence(one: CallEvidence, other: CallEvidence): CallEvidence {
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

export function isCallAnsweredOrOver(evidence: CallEvidence): boolean {
  const legs = Object.values(evidence.dialedLegs ?? {});
  return isCallOver(evidence) || legs.some((leg) => leg.answeredAt !== undefined || leg.outcome === "answered");
}

export function isCallOver({ dialResults = {}, callerLeg, voicemail, timer }: CallEvidence): boolean {
  return (
    (callerLeg ?? voicemail ?? timer) !== undefined ||
    Object.values(dialResults).some(({ isContinued }) => !isContinued)
  );
}

/** Returns the earliest time in the reports from the phone system; undefined if the reports contain no time. The call started at or before this time. */
export function findEarliestReportedTime({
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
  const times = legs
    .flatMap((leg) => [findReportedAnswerTime(leg), findReportedEndTime(leg)])
    .filter((time) => time !== undefined);
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}

/** Returns when a leg was answered, in milliseconds since 1970; undefined if the phone system did not state that time. */
export function findReportedAnswerTime({ answeredAt, isAnswerArrival }: LegEvidence): number | undefined {
  return answeredAt === undefined || isAnswerArrival ? undefined : Date.parse(answeredAt);
}

/** Returns when a leg ended, in milliseconds since 1970; undefined if the phone system did not state that time. */
export function findReportedEndTime({ endedAt, isEndArrival }: LegEvidence): number | undefined {
  return endedAt === undefined || isEndArrival ? undefined : Date.parse(endedAt);
}

/**
 * The outcomes of a leg, in ascending order of precedence. A call that is rejected as a loop is recorded as `failed`, although the caller
 * hears a busy tone.
 */
const RANKS: readonly (LegOutcome | undefined)[] = [undefined, "missed", "busy", "failed", "answered"];

function mergeAllLegs(
  before: CallEvidence["dialedLegs"],
  added: NonNullable<CallEvidence["dialedLegs"]>,
): NonNullable<CallEvidence["dialedLegs"]> {
  const legs = Object.entries(added).map(([name, leg]) => [name, mergeLegs(before?.[name as LegName], leg)] as const);
  return { ...before, ...Object.fromEntries(legs) };
}

/**
 * Merges two answers to repeated voice requests for one call. Each flag is set if either answer sets it, because it is unknown which answer the phone
 * system executes.
 */
function mergeAnswers(one: VoiceAnswerEvidence | undefined, other: VoiceAnswerEvidence): VoiceAnswerEvidence {
  const sentAt = [one?.sentAt, other.sentAt].filter((time) => time !== undefined).sort()[0];
  const dialed = mergeDialed(one?.dialed, other.dialed);
  return {
    isPrompted: other.isPrompted || (one?.isPrompted ?? false),
    isRecorded: other.isRecorded || (one?.isRecorded ?? false),
    ...(sentAt && { sentAt }),
    ...(dialed && { dialed }),
  };
}

/**
 * Merges the destinations that two answers dial, keyed by leg. If the answers differ for a leg, keeps the destination that sorts first, because it is
 * unknown which one rings.
 */
function mergeDialed(
  one: VoiceAnswerEvidence["dialed"],
  other: VoiceAnswerEvidence["dialed"],
): VoiceAnswerEvidence["dialed"] {
  if (one === undefined || other === undefined) return one ?? other;
  const numbers = [...Object.entries(one), ...Object.entries(other)].sort(([, a], [, b]) => compareCodePoints(b, a));
  return Object.fromEntries(numbers);
}

/**
 * Merges two reports about a leg. The result has the end with the higher precedence and the first answer. It has `isContinued` only if both reports
 * have it.
 */
function mergeLegs(one: LegEvidence | undefined, other: LegEvidence): LegEvidence {
  if (one === undefined) return other;
  const { answeredAt: _, isAnswerArrival: __, isContinued: ___, ...end } = compareEnds(one, other) < 0 ? other : one;
  const isContinued = one.isContinued && other.isContinued;
  return { ...end, ...firstAnswer(one, other), ...(isContinued && { isContinued }) };
}

/** Returns the earliest answer whose time the phone system stated. If it stated none, returns the answer whose report arrived first. */
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
 * Compares the precedence of two reports that a leg ended. The higher sequence number takes precedence, then the stronger outcome, then a time
 * that the phone system stated, then the earlier time. The other comparisons make the order total.
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

/** A text that sorts after every time in ISO 8601. */
const LAST = "\uffff";

/**
 * Returns the recording of the later dialing step. A voicemail is later than any dialing step. Of two links to the same recording, returns the link
 * that expires later.
 */
function laterRecording(one: RecordingEvidence | undefined, other: RecordingEvidence): RecordingEvidence {
  return one !== undefined && compareRecordings(one, other) >= 0 ? one : other;
}

function compareRecordings(one: RecordingEvidence, other: RecordingEvidence): number {
  return (
    Number(one.step === "voicemail") - Number(other.step === "voicemail") ||
    compareDialSteps(dialStepOf(one), dialStepOf(other)) ||
    compareCodePoints(one.id, other.id) ||
    compareCodePoints(one.expiresAt ?? "", other.expiresAt ?? "") ||
    compareCodePoints(one.url, other.url)
  );
}

function dialStepOf({ step }: RecordingEvidence): DialStep {
  return step === undefined || step === "voicemail" ? "original" : step;
}
