import type { DialStep } from "./call-plan.js";
import type { RejectReason } from "./call-rejection.js";
import { compareCodePoints } from "./code-point-order.js";
import { CallOutcome } from "./gen/calltracking/v1/call_pb.js";

/** The evidence of a call's outcome, from the weakest to the strongest. */
export type OutcomeBasis = "timer" | "caller_leg" | "dialed_leg" | "dial_result";

/** The outcome of a leg that is over. */
export type LegOutcome = "answered" | "missed" | "busy" | "failed";

/** How a leg ended. */
export interface LegEnd {
  readonly outcome: LegOutcome;
  /** Whether the caller hung up first. Then the outcome is `missed`, which earlier releases know. */
  readonly isAbandoned?: true;
}

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
  const { dialedLegs, dialResults, callerLeg, timer, recording, callerAttestation = "", answer } = other;
  const attestation = [one.callerAttestation ?? "", callerAttestation].sort(compareCodePoints)[1];
  return {
    ...one,
    ...(dialedLegs && { dialedLegs: mergeSteps(one.dialedLegs, dialedLegs) }),
    ...(dialResults && { dialResults: mergeSteps(one.dialResults, dialResults) }),
    ...(callerLeg && { callerLeg: mergeLegs(one.callerLeg, callerLeg) }),
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
export function isOver({ dialResults = {}, callerLeg, timer }: CallEvidence): boolean {
  return (callerLeg ?? timer) !== undefined || Object.values(dialResults).some(({ isContinued }) => !isContinued);
}

/**
 * Returns the earliest time that the phone system says in one report of a call: the call started then or earlier. Undefined if the report has no time
 * but that of its arrival.
 */
export function earliestTime({ dialedLegs, dialResults, callerLeg }: CallEvidence): Date | undefined {
  const legs = [...Object.values(dialedLegs ?? {}), ...Object.values(dialResults ?? {}), callerLeg ?? {}];
  const times = legs.flatMap((leg) => [statedAnswer(leg), statedEnd(leg)]).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}

/** The times and outcome of a call as far as they are known. */
export interface KnownProgress {
  /** Undefined if the call was not answered, or if nobody said when. */
  readonly answeredAt?: Date;
  /** Undefined until the call has ended, and if nobody said that it has. */
  readonly endedAt?: Date;
  /** Whole seconds from answer to end: 0 if the call ended unanswered. Undefined until it has ended, and if nobody said how long it was. */
  readonly durationSeconds?: number;
  readonly outcome: CallOutcome;
  /** Undefined until the call is over. */
  readonly basis?: OutcomeBasis;
  /** Why the call was rejected; undefined if it was not, or if it was answered all the same. */
  readonly rejectReason?: RejectReason;
}

/**
 * Returns what the evidence says about a call. Its times are in order, and its outcome fits them.
 *
 * A dial result beats the dialed leg, which beats the caller's leg, which beats a timer. The last leg dialed decides, unless
 * the result of the first one is that it was answered. A dialed leg never ends a call by itself.
 *
 * docs/calls.md says where each time comes from.
 */
export function progressOf(startedAt: Date, evidence: CallEvidence): KnownProgress {
  const { dialResults, callerLeg } = evidence;
  const step = decisiveStep(evidence);
  const result = dialResults?.[step];
  const leg = legOf(evidence, step);
  const final = [result, dialResults?.original, dialResults?.fallback].find((each) => each && !each.isContinued);
  const reported = result?.outcome ?? leg?.outcome ?? callerLeg?.outcome;
  const times = reported === "answered" ? timesOfAnswered(leg, result, final, callerLeg) : {};
  const start = startedAt.getTime();
  if (!isOver(evidence)) return { ...answerOf(times, start), outcome: CallOutcome.IN_PROGRESS };
  // The end of an answered leg is that of its call, even if nothing else was reported.
  const isLegEnd = reported === "answered" && times.end !== undefined;
  const isOfTimer = (final ?? callerLeg) === undefined && !isLegEnd;
  const outcome = outcomeOf(evidence, [result, leg, callerLeg], isOfTimer);
  const basis = isOfTimer ? "timer" : result ? "dial_result" : leg?.outcome ? "dialed_leg" : "caller_leg";
  const rejected = result?.rejectReason && { rejectReason: result.rejectReason };
  if (isOfTimer) return { ...answerOf(times, start), outcome, basis, ...rejected };
  const end = Math.max(start, times.end ?? endOf(leg, result, final, callerLeg));
  const durationSeconds = reported === "answered" ? times.seconds : outcome === CallOutcome.UNKNOWN ? undefined : 0;
  return {
    ...answerOf(times, start, end),
    endedAt: new Date(end),
    ...(durationSeconds !== undefined && { durationSeconds }),
    ...{ outcome, basis, ...rejected },
  };
}

/** Returns how a call ended by the final status of its last leg (RFC 3261); undefined if the status is not final. */
export function endOfSipStatus(status: number): LegEnd | undefined {
  if (!(status >= 200 && status < 700)) return undefined;
  if (status < 300) return { outcome: "answered" };
  return SIP_ENDS.get(status) ?? { outcome: "failed" };
}

/** Returns how a call ended by Asterisk's DIALSTATUS; undefined for an unknown one. */
export function endOfDialStatus(status: string): LegEnd | undefined {
  return DIAL_ENDS.get(status);
}

/** The caller hung up first. */
export const ABANDONED: LegEnd = { outcome: "missed", isAbandoned: true };

const SIP_ENDS: ReadonlyMap<number, LegEnd> = new Map([
  [486, { outcome: "busy" }],
  [600, { outcome: "busy" }],
  [603, { outcome: "busy" }],
  [408, { outcome: "missed" }],
  [480, { outcome: "missed" }],
  [487, ABANDONED],
]);

const DIAL_ENDS: ReadonlyMap<string, LegEnd> = new Map([
  ["ANSWER", { outcome: "answered" }],
  ["BUSY", { outcome: "busy" }],
  ["NOANSWER", { outcome: "missed" }],
  ["CANCEL", ABANDONED],
  ["DONTCALL", { outcome: "missed" }],
  ["CHANUNAVAIL", { outcome: "failed" }],
  ["CONGESTION", { outcome: "failed" }],
  ["INVALIDARGS", { outcome: "failed" }],
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

/** Returns a dialed leg with its outcome, which is absent until it is answered or over. */
function legOf({ dialedLegs }: CallEvidence, step: DialStep): LegEvidence | undefined {
  const leg = dialedLegs?.[step];
  return leg?.answeredAt === undefined ? leg : { outcome: "answered", ...leg };
}

/**
 * Returns the outcome of a call that is over. If the caller's leg alone is known, a caller who heard a prompt hung up during it, because
 * dialing would have had a result. Otherwise the call may have been answered without the service, such as by a fallback at the provider.
 */
function outcomeOf(
  { answer, callerLeg }: CallEvidence,
  legs: readonly (LegEvidence | undefined)[],
  isOfTimer: boolean,
): CallOutcome {
  const reported = legs.find((leg) => leg?.outcome !== undefined)?.outcome;
  if (isOfTimer && reported !== "answered") return CallOutcome.UNKNOWN;
  if (reported === undefined) {
    const heardPrompt = answer?.isPrompted === true && (callerLeg?.endedAt ?? "") >= (answer.sentAt ?? "");
    return heardPrompt ? CallOutcome.ABANDONED : CallOutcome.UNKNOWN;
  }
  const isAbandoned = reported === "missed" && legs.some((leg) => leg?.isAbandoned);
  return isAbandoned ? CallOutcome.ABANDONED : OUTCOMES[reported];
}

/** The times of an answered call, in milliseconds, and its duration. Each is undefined if nobody said it. */
interface AnsweredTimes {
  readonly answer?: number | undefined;
  readonly end?: number | undefined;
  readonly seconds?: number | undefined;
}

/**
 * Returns the times of an answered call: those that the phone system said, else by the duration that it said, else by the arrival of its
 * reports. A report arrives after what it reports, so that the earliest of several bounds is taken. The result does not depend on how late a
 * report came if the phone system said enough.
 */
function timesOfAnswered(
  leg: LegEvidence = {},
  result: LegEvidence = {},
  final: LegEvidence = {},
  callerLeg: LegEvidence = {},
): AnsweredTimes {
  const seconds = result.durationSeconds ?? leg.durationSeconds;
  const durationMs = (seconds ?? Number.NaN) * 1000;
  const statedEnds = [statedEnd(final), statedEnd(leg)];
  const end = statedEnds.find((time) => time !== undefined);
  const answer = statedAnswer(leg) ?? statedAnswer(result);
  if (answer !== undefined && end !== undefined) return { answer, end, seconds: wholeSeconds(end - answer) };
  if (seconds !== undefined && end !== undefined) return { answer: end - durationMs, end, seconds };
  if (seconds !== undefined && answer !== undefined) return { answer, end: answer + durationMs, seconds };
  const lastEnd = end ?? statedEnd(callerLeg) ?? earliest([final.endedAt, leg.endedAt, callerLeg.endedAt]);
  if (answer !== undefined) {
    return { answer, end: lastEnd, seconds: lastEnd === undefined ? undefined : wholeSeconds(lastEnd - answer) };
  }
  const arrival = earliest([leg.answeredAt, result.answeredAt]);
  if (lastEnd === undefined) return { answer: arrival };
  if (seconds === undefined) {
    return {
      answer: arrival,
      end: lastEnd,
      seconds: arrival === undefined ? undefined : wholeSeconds(lastEnd - arrival),
    };
  }
  const latest = Math.min(arrival ?? Number.POSITIVE_INFINITY, lastEnd - durationMs);
  return { answer: latest, end: latest + durationMs, seconds };
}

/** Returns when a call ended that was not answered: as the phone system said, else when the first report of the end arrived. */
function endOf(
  leg: LegEvidence = {},
  result: LegEvidence = {},
  final: LegEvidence = {},
  callerLeg: LegEvidence = {},
): number {
  const legEnd = result.isContinued ? undefined : statedEnd(leg);
  const stated = statedEnd(final) ?? legEnd ?? statedEnd(callerLeg);
  return stated ?? (earliest([final.endedAt, callerLeg.endedAt]) as number);
}

function statedAnswer({ answeredAt, isAnswerArrival }: LegEvidence): number | undefined {
  return answeredAt === undefined || isAnswerArrival ? undefined : Date.parse(answeredAt);
}

function statedEnd({ endedAt, isEndArrival }: LegEvidence): number | undefined {
  return endedAt === undefined || isEndArrival ? undefined : Date.parse(endedAt);
}

function earliest(times: readonly (string | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined).map((time) => Date.parse(time));
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Returns a duration in whole seconds; 0 if clocks made it negative. */
function wholeSeconds(ms: number): number {
  return Math.max(0, Math.floor(ms / 1000));
}

/** Returns when a call was answered, between its start and its end. */
function answerOf({ answer }: AnsweredTimes, start: number, end = Number.POSITIVE_INFINITY) {
  return answer !== undefined && { answeredAt: new Date(Math.min(Math.max(start, answer), end)) };
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
function mergeAnswers(one: AnswerEvidence | undefined, other: AnswerEvidence): AnswerEvidence {
  const sentAt = [one?.sentAt, other.sentAt].filter((time) => time !== undefined).sort()[0];
  return {
    isPrompted: other.isPrompted || (one?.isPrompted ?? false),
    isRecorded: other.isRecorded || (one?.isRecorded ?? false),
    ...(sentAt && { sentAt }),
  };
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
