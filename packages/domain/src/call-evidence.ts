import type { RejectReason } from "./call-rejection.js";
import { compareCodePoints } from "./code-point-order.js";
import { type ByLeg, type ByStep, compareSteps, type DialStep, type LegName, stepOf } from "./dial-step.js";
import type { LegEnd, LegOutcome } from "./leg-end.js";

/** The evidence of a call's outcome, from the weakest to the strongest. */
export type OutcomeBasis = "timer" | "caller_leg" | "dialed_leg" | "dial_result";

/**
 * The facts that reports of a phone system tell about a call, as JSON: those of one report, and those of all reports so far together
 * (`calls.evidence`). Times are ISO 8601, by the phone system or of arrival. Facts that are not known are absent.
 */
export interface CallEvidence {
  /** How each leg to the business was answered and ended. A leg never ends a call by itself. */
  readonly dialedLegs?: ByLeg<LegEvidence>;
  /** The results of dialing the business, by the step. */
  readonly dialResults?: ByStep<LegEvidence>;
  /** The end of the caller's leg. It has no outcome if its status says nothing about the business, such as `completed`. */
  readonly callerLeg?: LegEvidence;
  /** Set if the caller left a message in the voicemail, with the end of the message. */
  readonly voicemail?: LegEvidence;
  /** Set when no end was reported in time. */
  readonly timer?: LegEvidence;
  /** Of the recordings of a call, that of the last leg. */
  readonly recording?: RecordingEvidence;
  /** How far the phone system trusts the caller's number, such as `TN-Validation-Passed-A` (RFC 8224). */
  readonly callerAttestation?: string;
  /** How the voice request was answered. Absent until that request is reported. */
  readonly answer?: AnswerEvidence;
}

/** The state of a leg, as far as it is known. */
export interface LegEvidence extends Partial<LegEnd> {
  /** The sequence number of the end: the later one wins. Absent if the phone system sends none. */
  readonly sequence?: number;
  readonly answeredAt?: string;
  /** Whether the phone system did not say when: then `answeredAt` is when its report arrived, and the answer was then or earlier. */
  readonly isAnswerArrival?: true;
  readonly endedAt?: string;
  /** The same for `endedAt`. */
  readonly isEndArrival?: true;
  /** The duration of the dialed leg, if the phone system sends it. */
  readonly durationSeconds?: number;
  /** Whether another number is dialed next, so that the call goes on. */
  readonly isContinued?: true;
  /** Why the call was rejected instead of dialing. Releases that do not know it leave it out, and keep what is stored. */
  readonly rejectReason?: RejectReason;
}

/** The parts of the answer to a voice request. */
export interface AnswerEvidence {
  /** Whether a prompt is played. */
  readonly isPrompted: boolean;
  /** Whether a recording is made. */
  readonly isRecorded: boolean;
  /** When the first answer was sent. Absent in the evidence of earlier releases. */
  readonly sentAt?: string;
  /** The numbers to dial, by their leg, in E.164 format. Absent if none is dialed, and in the evidence of earlier releases. */
  readonly dialed?: ByLeg<string>;
}

/** The link to a recording. */
export interface RecordingEvidence {
  /** The step whose leg was recorded, or the voicemail; absent for the original number, and if the phone system does not say. */
  readonly step?: Exclude<DialStep, "original"> | "voicemail";
  readonly id: string;
  readonly url: string;
  /** When the link expires; absent if it does not, or if the provider does not say. */
  readonly expiresAt?: string;
}

/** Returns the step of a recorded leg, as the evidence about a recording names it. */
export function recordedStep(leg: LegName): Pick<RecordingEvidence, "step"> {
  const step = stepOf(leg);
  return step === "original" ? {} : { step };
}

/**
 * Merges what reports tell about a call. Merging is commutative, associative and idempotent, so that reports may come twice and in any
 * order.
 */
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

/** Whether the business has answered a call by the evidence, or the call is over. */
export function isAnsweredOrOver(evidence: CallEvidence): boolean {
  const legs = Object.values(evidence.dialedLegs ?? {});
  return isOver(evidence) || legs.some((leg) => leg.answeredAt !== undefined || leg.outcome === "answered");
}

/** Whether a call is over by the evidence. */
export function isOver({ dialResults = {}, callerLeg, voicemail, timer }: CallEvidence): boolean {
  return (
    (callerLeg ?? voicemail ?? timer) !== undefined ||
    Object.values(dialResults).some(({ isContinued }) => !isContinued)
  );
}

/**
 * Returns the earliest time that the phone system says in one report of a call: the call started then or earlier. Undefined if the report has no time
 * but that of its arrival.
 */
export function earliestTime({ dialedLegs, dialResults, callerLeg, voicemail }: CallEvidence): Date | undefined {
  const legs = [
    ...Object.values(dialedLegs ?? {}),
    ...Object.values(dialResults ?? {}),
    callerLeg ?? {},
    voicemail ?? {},
  ];
  const times = legs.flatMap((leg) => [statedAnswer(leg), statedEnd(leg)]).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}

/** Returns when a leg was answered, in milliseconds since 1970, as the phone system said; undefined if it did not. */
export function statedAnswer({ answeredAt, isAnswerArrival }: LegEvidence): number | undefined {
  return answeredAt === undefined || isAnswerArrival ? undefined : Date.parse(answeredAt);
}

/** Returns when a leg ended, in the same way. */
export function statedEnd({ endedAt, isEndArrival }: LegEvidence): number | undefined {
  return endedAt === undefined || isEndArrival ? undefined : Date.parse(endedAt);
}

/**
 * From the weakest to the strongest of the outcomes that one leg is reported with. A rejected loop is recorded as failed, though
 * its caller hears that the line is busy.
 */
const RANKS: readonly (LegOutcome | undefined)[] = [undefined, "missed", "busy", "failed", "answered"];

function mergeAllLegs(
  before: CallEvidence["dialedLegs"],
  added: NonNullable<CallEvidence["dialedLegs"]>,
): NonNullable<CallEvidence["dialedLegs"]> {
  const legs = Object.entries(added).map(([name, leg]) => [name, mergeLegs(before?.[name as LegName], leg)] as const);
  return { ...before, ...Object.fromEntries(legs) };
}

/** Repeated requests can get different answers, and the caller hears one of them. */
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

/** If the settings have changed between two answers, nobody knows which number rings: either is as good. */
function mergeDialed(one: AnswerEvidence["dialed"], other: AnswerEvidence["dialed"]): AnswerEvidence["dialed"] {
  if (one === undefined || other === undefined) return one ?? other;
  const numbers = [...Object.entries(one), ...Object.entries(other)].sort(([, a], [, b]) => compareCodePoints(b, a));
  return Object.fromEntries(numbers);
}

/** Takes the end that wins and the first answer. The call goes on only if all reports say so. */
function mergeLegs(one: LegEvidence | undefined, other: LegEvidence): LegEvidence {
  if (one === undefined) return other;
  const { answeredAt: _, isAnswerArrival: __, isContinued: ___, ...end } = compareEnds(one, other) < 0 ? other : one;
  const isContinued = one.isContinued && other.isContinued;
  return { ...end, ...firstAnswer(one, other), ...(isContinued && { isContinued }) };
}

/** Returns the earliest answer that the phone system said, else the earliest that arrived. */
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
 * Orders the reported ends of a leg: the later sequence number wins, then the stronger outcome, then a time of the phone system, then the earlier
 * time; the rest makes the order total.
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

/** After every time in ISO 8601. */
const LAST = "\uffff";

/** Takes the recording of the later step, and of two links to one recording that which is valid longer. */
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
