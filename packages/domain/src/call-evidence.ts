import type { DialStep } from "./call-plan.js";
import type { RejectReason } from "./call-rejection.js";
import { compareCodePoints } from "./code-point-order.js";
import { CallOutcome } from "./gen/calltracking/v1/call_pb.js";

/** The evidence of a call's outcome, from the weakest to the strongest. */
export type OutcomeBasis = "timer" | "caller_leg" | "dialed_leg" | "dial_result";

/** The outcome of a leg that is over. */
export type LegOutcome = "answered" | "missed" | "busy" | "failed";

/**
 * The facts that reports of a phone system tell about a call, as JSON: those of one report, and those of all reports so far together
 * (`calls.evidence`). Times are ISO 8601, by the phone system or of arrival. Facts that are not known are absent.
 */
export interface CallEvidence {
  /** Changes of the legs to the business, by their step. A leg never ends a call by itself. */
  readonly dialedLegs?: Readonly<Partial<Record<DialStep, LegEvidence>>>;
  /** The results of dialing the business, by the step. */
  readonly dialResults?: Readonly<Partial<Record<DialStep, LegEvidence>>>;
  /** The end of the caller's leg. It has no outcome if its status says nothing about the business, such as `completed`. */
  readonly callerLeg?: LegEvidence;
  /** The end of a call whose end was not reported in time. */
  readonly timer?: LegEvidence;
  /** Of the recordings of a call, that of the last leg. */
  readonly recording?: RecordingEvidence;
  /** How the voice request was answered. Absent until that request is reported. */
  readonly answer?: AnswerEvidence;
}

/** The state of a leg, as far as it is known. */
export interface LegEvidence {
  /** The sequence number of the end: the later one wins. Absent if the phone system sends none. */
  readonly sequence?: number;
  readonly answeredAt?: string;
  readonly endedAt?: string;
  readonly outcome?: LegOutcome;
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
}

/** The link to a recording. */
export interface RecordingEvidence {
  /** The leg that was recorded; absent for the original number, and if the phone system does not say. */
  readonly step?: "fallback";
  readonly id: string;
  readonly url: string;
  /** When the link expires; absent if it does not, or if the provider does not say. */
  readonly expiresAt?: string;
}

/**
 * Merges what reports tell about a call. Merging is commutative, associative and idempotent, so that reports may come twice and in any
 * order.
 */
export function mergeEvidence(one: CallEvidence, other: CallEvidence): CallEvidence {
  const { dialedLegs, dialResults, callerLeg, timer, recording, answer } = other;
  return {
    ...one,
    ...(dialedLegs && { dialedLegs: mergeSteps(one.dialedLegs, dialedLegs) }),
    ...(dialResults && { dialResults: mergeSteps(one.dialResults, dialResults) }),
    ...(callerLeg && { callerLeg: mergeLegs(one.callerLeg, callerLeg) }),
    ...(timer && { timer: mergeLegs(one.timer, timer) }),
    ...(recording && { recording: laterRecording(one.recording, recording) }),
    ...(answer && { answer: mergeAnswers(one.answer, answer) }),
  };
}

/** Whether the business has answered a call by the evidence, or the call is over. */
export function isAnsweredOrOver(evidence: CallEvidence): boolean {
  const legs = Object.values(evidence.dialedLegs ?? {});
  return isOver(evidence) || legs.some((leg) => leg.answeredAt !== undefined || leg.outcome === "answered");
}

/** Whether a call is over by the evidence. */
export function isOver({ dialResults = {}, callerLeg, timer }: CallEvidence): boolean {
  return (callerLeg ?? timer) !== undefined || Object.values(dialResults).some(({ isContinued }) => !isContinued);
}

/** The times and outcome of a call as far as they are known. */
export interface KnownProgress {
  readonly answeredAt?: Date;
  readonly endedAt?: Date;
  readonly outcome: CallOutcome;
  /** Undefined until the call has ended. */
  readonly basis?: OutcomeBasis;
  /** Why the call was rejected; undefined if it was not, or if it was answered all the same. */
  readonly rejectReason?: RejectReason;
}

/**
 * Returns what the evidence says about a call. Its times are in order, and its outcome fits them.
 *
 * A dial result beats the dialed leg, which beats the caller's leg, which beats a timer. The last leg dialed decides, unless
 * the result of the first one is that it was answered. A dialed leg never ends a call by itself.
 */
export function progressOf(startedAt: Date, evidence: CallEvidence): KnownProgress {
  const { dialResults, dialedLegs, callerLeg, timer } = evidence;
  const step = decisiveStep(evidence);
  const result = dialResults?.[step];
  const leg = dialedLegs?.[step];
  const final = [result, dialResults?.original, dialResults?.fallback].find((each) => each && !each.isContinued);
  const ending = final ?? callerLeg ?? timer;
  const legOutcome = leg && outcomeOf(leg);
  const outcome = result?.outcome ?? legOutcome ?? callerLeg?.outcome ?? "missed";
  const start = startedAt.getTime();
  const end = ending?.endedAt === undefined ? undefined : Math.max(start, Date.parse(ending.endedAt));
  const answer = outcome === "answered" ? answerTime(leg, result, end) : undefined;
  const answered = answer !== undefined && {
    answeredAt: new Date(Math.min(Math.max(start, answer), end ?? Number.POSITIVE_INFINITY)),
  };
  if (end === undefined) return { ...answered, outcome: CallOutcome.IN_PROGRESS };
  const reported = result ? "dial_result" : legOutcome ? "dialed_leg" : "caller_leg";
  const basis = ending === timer ? "timer" : reported;
  const rejected = result?.rejectReason && { rejectReason: result.rejectReason };
  return { ...answered, endedAt: new Date(end), outcome: OUTCOMES[outcome], basis, ...rejected };
}

/** Returns the outcome of a call by the final status of its last leg (RFC 3261); undefined if the status is not final. */
export function outcomeOfSipStatus(status: number): LegOutcome | undefined {
  if (!(status >= 200 && status < 700)) return undefined;
  if (status < 300) return "answered";
  return SIP_OUTCOMES.get(status) ?? "failed";
}

/** Returns the outcome of a call by Asterisk's DIALSTATUS; undefined for an unknown one. */
export function outcomeOfDialStatus(status: string): LegOutcome | undefined {
  return DIAL_OUTCOMES.get(status);
}

const SIP_OUTCOMES: ReadonlyMap<number, LegOutcome> = new Map([
  [486, "busy"],
  [600, "busy"],
  [603, "busy"],
  [408, "missed"],
  [480, "missed"],
  [487, "missed"],
]);

const DIAL_OUTCOMES: ReadonlyMap<string, LegOutcome> = new Map([
  ["ANSWER", "answered"],
  ["BUSY", "busy"],
  ["NOANSWER", "missed"],
  ["CANCEL", "missed"],
  ["DONTCALL", "missed"],
  ["CHANUNAVAIL", "failed"],
  ["CONGESTION", "failed"],
  ["INVALIDARGS", "failed"],
]);

const OUTCOMES: Readonly<Record<LegOutcome, CallOutcome>> = {
  answered: CallOutcome.ANSWERED,
  missed: CallOutcome.MISSED,
  busy: CallOutcome.BUSY,
  failed: CallOutcome.FAILED,
};

/**
 * From the weakest to the strongest of the outcomes that one leg is reported with. A rejected loop is recorded as failed, though
 * its caller hears that the line is busy.
 */
const RANKS: readonly (LegOutcome | undefined)[] = [undefined, "missed", "busy", "failed", "answered"];

function decisiveStep({ dialResults, dialedLegs }: CallEvidence): DialStep {
  if (dialResults?.original?.outcome === "answered") return "original";
  return dialResults?.fallback === undefined && dialedLegs?.fallback === undefined ? "original" : "fallback";
}

/** Returns when an answered leg was answered: as reported, or else its duration before the end. */
function answerTime(
  leg: LegEvidence | undefined,
  result: LegEvidence | undefined,
  end: number | undefined,
): number | undefined {
  const reported = leg?.answeredAt ?? result?.answeredAt;
  if (reported !== undefined) return Date.parse(reported);
  return end === undefined ? undefined : end - (result?.durationSeconds ?? 0) * 1000;
}

/** Returns the outcome of a dialed leg; undefined until it is answered or over. */
function outcomeOf({ outcome, answeredAt }: LegEvidence): LegOutcome | undefined {
  return outcome ?? (answeredAt === undefined ? undefined : "answered");
}

function mergeSteps(
  before: CallEvidence["dialedLegs"],
  { original, fallback }: NonNullable<CallEvidence["dialedLegs"]>,
): NonNullable<CallEvidence["dialedLegs"]> {
  return {
    ...before,
    ...(original && { original: mergeLegs(before?.original, original) }),
    ...(fallback && { fallback: mergeLegs(before?.fallback, fallback) }),
  };
}

/** Repeated requests can get different answers, and the caller hears one of them. */
function mergeAnswers(one: AnswerEvidence | undefined, { isPrompted, isRecorded }: AnswerEvidence): AnswerEvidence {
  return {
    isPrompted: isPrompted || (one?.isPrompted ?? false),
    isRecorded: isRecorded || (one?.isRecorded ?? false),
  };
}

/** Takes the end that wins and the first answer. The call goes on only if all reports say so. */
function mergeLegs(one: LegEvidence | undefined, other: LegEvidence): LegEvidence {
  if (one === undefined) return other;
  const { answeredAt: _, isContinued: __, ...end } = compareEnds(one, other) < 0 ? other : one;
  const answeredAt = [one.answeredAt, other.answeredAt].filter((time) => time !== undefined).sort()[0];
  const isContinued = one.isContinued && other.isContinued;
  return { ...end, ...(answeredAt && { answeredAt }), ...(isContinued && { isContinued }) };
}

/** Orders the reported ends of a leg: the later sequence number wins, then the stronger outcome, then the earlier time; the rest makes the order total. */
function compareEnds(one: LegEvidence, other: LegEvidence): number {
  return (
    (one.sequence ?? -1) - (other.sequence ?? -1) ||
    RANKS.indexOf(one.outcome) - RANKS.indexOf(other.outcome) ||
    compareCodePoints(other.endedAt ?? LAST, one.endedAt ?? LAST) ||
    (one.durationSeconds ?? -1) - (other.durationSeconds ?? -1) ||
    compareCodePoints(one.rejectReason ?? "", other.rejectReason ?? "")
  );
}

/** After every time in ISO 8601. */
const LAST = "\uffff";

/** Takes the recording of the fallback number, and of two links to one recording that which is valid longer. */
function laterRecording(one: RecordingEvidence | undefined, other: RecordingEvidence): RecordingEvidence {
  return one !== undefined && compareRecordings(one, other) >= 0 ? one : other;
}

function compareRecordings(one: RecordingEvidence, other: RecordingEvidence): number {
  return (
    compareCodePoints(one.step ?? "", other.step ?? "") ||
    compareCodePoints(one.id, other.id) ||
    compareCodePoints(one.expiresAt ?? "", other.expiresAt ?? "") ||
    compareCodePoints(one.url, other.url)
  );
}
