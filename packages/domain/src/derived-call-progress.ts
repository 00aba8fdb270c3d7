import {
  type CallEvidence,
  findReportedAnswerTime,
  findReportedEndTime,
  isCallOver,
  type LegEvidence,
  type OutcomeBasis,
} from "./call-evidence.js";
import type { RejectReason } from "./call-rejection.js";
import { compareCodePoints } from "./code-point-order.js";
import { compareDialSteps, type DialStep, getLegDialStep, type LegName } from "./dial-step.js";
import { CallOutcome } from "./gen/calltracking/v1/call_pb.js";
import type { LegOutcome } from "./leg-end.js";

/** The times and outcome of a call, as far as they follow from the reports of its phone system. */
export interface DerivedCallProgress {
  /** Undefined if the call was not answered, or if it is unknown when it was answered. */
  readonly answeredAt?: Date;
  /** Undefined if the call has not ended, or if its end was not reported. */
  readonly endedAt?: Date;
  /** Whole seconds from answer to end; 0 if the call ended unanswered. Undefined if the call has not ended, or if its duration is unknown. */
  readonly durationSeconds?: number;
  readonly outcome: CallOutcome;
  /** The kind of evidence that determined the outcome; undefined if the call is not over. */
  readonly basis?: OutcomeBasis;
  /** The number or SIP URI that answered; undefined if none answered, or if it is unknown which one answered. */
  readonly answeredBy?: string;
  /** Why the call was rejected; undefined if it was not rejected, or if it was answered anyway. */
  readonly rejectReason?: RejectReason;
}

/**
 * Derives the times and outcome of a call from the evidence. The times and outcome are always consistent.
 *
 * The strongest evidence determines the outcome: a dial result, then the dialed leg, then the caller's leg, then the timer. The last dialed step
 * determines the outcome, unless the result of an earlier step says that somebody answered that step. If a step rang several legs, the answered leg
 * determines the outcome. The call can go on after the end of a dialed leg.
 *
 * docs/calls.md says from which report each time comes.
 */
export function deriveCallProgress(startedAt: Date, evidence: CallEvidence): DerivedCallProgress {
  const { dialResults = {}, callerLeg } = evidence;
  const step = decisiveStep(evidence);
  const [name, leg] = decisiveLeg(evidence, step) ?? [];
  const isGroup = isGroupStep(evidence, step);
  const result = isGroup ? resultOfGroup(dialResults[step], leg) : dialResults[step];
  const results = stepsOf(dialResults).map((each) => dialResults[each]);
  const final = [result, ...results].find((each) => each && !each.isContinued);
  const legs = { leg, result, final, callerLeg };
  const reported = result?.outcome ?? leg?.outcome ?? callerLeg?.outcome;
  const times = reported === "answered" ? timesOfAnswered(legs) : {};
  const start = startedAt.getTime();
  const number =
    reported === "answered" ? numberOf(evidence, step, leg?.outcome === "answered" ? name : undefined) : undefined;
  const answered = number !== undefined && { answeredBy: number };
  if (!isCallOver(evidence)) return { ...answerOf(times, start), ...answered, outcome: CallOutcome.IN_PROGRESS };
  if (evidence.voicemail !== undefined && reported !== "answered")
    return progressOfVoicemail(start, evidence.voicemail, callerLeg);
  // If no other report says when an answered call ended, the call ended when the answered leg ended.
  const isLegEnd = reported === "answered" && times.end !== undefined;
  const isOfTimer = (final ?? callerLeg) === undefined && !isLegEnd;
  // If several legs rang, a canceled leg does not mean that the caller hung up: as soon as one leg is answered, the others are canceled.
  const outcome = outcomeOf(evidence, [result, isGroup && result ? undefined : leg, callerLeg], isOfTimer);
  const basis = isOfTimer ? "timer" : result ? "dial_result" : leg?.outcome ? "dialed_leg" : "caller_leg";
  const rejected = result?.rejectReason && { rejectReason: result.rejectReason };
  if (isOfTimer) return { ...answerOf(times, start), ...answered, outcome, basis, ...rejected };
  const end = Math.max(start, times.end ?? endOf(legs));
  const durationSeconds = reported === "answered" ? times.seconds : outcome === CallOutcome.UNKNOWN ? undefined : 0;
  return {
    ...answerOf(times, start, end),
    endedAt: new Date(end),
    ...(durationSeconds !== undefined && { durationSeconds }),
    ...{ ...answered, outcome, basis, ...rejected },
  };
}

function isGroupStep({ answer, dialedLegs }: CallEvidence, step: DialStep): boolean {
  return legNames({ ...answer?.dialed, ...dialedLegs }).filter((name) => getLegDialStep(name) === step).length > 1;
}

/**
 * Returns the result of dialing several numbers at the same time. If nobody answered, the outcome of the leg replaces the outcome of the result if it
 * precedes it in `LEG_RANKS`. Providers do not say to which of the numbers a result refers, and the caller heard ringing if one of the numbers rang.
 */
function resultOfGroup(result: LegEvidence | undefined, leg: LegEvidence | undefined): LegEvidence | undefined {
  const { outcome } = leg ?? {};
  if (result === undefined || outcome === undefined || outcome === "answered") return result;
  return LEG_RANKS.indexOf(outcome) < LEG_RANKS.indexOf(result.outcome) ? { ...result, outcome } : result;
}

/** Returns the progress of a call whose caller left a message. The message is as strong evidence as a dial result. */
function progressOfVoicemail(start: number, voicemail: LegEvidence, callerLeg: LegEvidence = {}): DerivedCallProgress {
  const end =
    findReportedEndTime(callerLeg) ??
    findReportedEndTime(voicemail) ??
    earliest([voicemail.endedAt, callerLeg.endedAt]) ??
    start;
  return {
    endedAt: new Date(Math.max(start, end)),
    durationSeconds: 0,
    outcome: CallOutcome.VOICEMAIL,
    basis: "dial_result",
  };
}

const OUTCOMES: Readonly<Record<LegOutcome, CallOutcome>> = {
  answered: CallOutcome.ANSWERED,
  missed: CallOutcome.MISSED,
  busy: CallOutcome.BUSY,
  failed: CallOutcome.FAILED,
};

function decisiveStep({ dialResults = {}, dialedLegs = {} }: CallEvidence): DialStep {
  const steps = stepsOf({ ...dialedLegs, ...dialResults });
  return steps.find((step) => dialResults[step]?.outcome === "answered") ?? steps.at(-1) ?? "original";
}

/** Returns the steps of legs, in the order in which they were dialed. */
function stepsOf(legs: CallEvidence["dialedLegs"]): readonly DialStep[] {
  return [...new Set(legNames(legs).map(getLegDialStep))].sort(compareDialSteps);
}

function legNames(legs: object | undefined): readonly LegName[] {
  return Object.keys(legs ?? {}) as LegName[];
}

/**
 * The outcomes of legs that rang at the same time, in descending order of precedence. `missed` precedes `busy`, because the caller heard the ringing.
 */
const LEG_RANKS: readonly (LegOutcome | undefined)[] = ["answered", "missed", "busy", "failed", undefined];

/**
 * Returns the name and the evidence of the leg that determines the outcome of a step; undefined if the step has no leg. A leg that was not answered
 * and has not ended has no outcome.
 */
function decisiveLeg({ dialedLegs }: CallEvidence, step: DialStep): readonly [LegName, LegEvidence] | undefined {
  const legs = legNames(dialedLegs).flatMap((name): (readonly [LegName, LegEvidence])[] => {
    const leg = getLegDialStep(name) === step ? dialedLegs?.[name] : undefined;
    if (leg === undefined) return [];
    return [[name, leg.answeredAt === undefined ? leg : { outcome: "answered", ...leg }]];
  });
  return legs.sort(
    ([one, a], [other, b]) =>
      LEG_RANKS.indexOf(a.outcome) - LEG_RANKS.indexOf(b.outcome) ||
      compareCodePoints(a.answeredAt ?? LAST, b.answeredAt ?? LAST) ||
      compareCodePoints(one, other),
  )[0];
}

/** A text that sorts after every time in ISO 8601. */
const LAST = "\uffff";

/** Returns the destination that answered; undefined if the step rang several destinations and no report says which of them answered. */
function numberOf({ answer }: CallEvidence, step: DialStep, answered: LegName | undefined): string | undefined {
  const rung = legNames(answer?.dialed).filter((name) => getLegDialStep(name) === step);
  const name = rung.length > 1 ? answered : rung[0];
  return name && answer?.dialed?.[name];
}

/**
 * Returns the outcome of a call that is over. If only the end of the caller's leg is known and a prompt was played, the caller hung up during
 * the prompt, because dialing would have had a result. If no prompt was played, the outcome is unknown: for example, the provider's own
 * fallback may have answered the call.
 */
function outcomeOf(
  { answer, callerLeg }: CallEvidence,
  legs: readonly (LegEvidence | undefined)[],
  isOfTimer: boolean,
): CallOutcome {
  const reported = legs.find((leg) => leg?.outcome !== undefined)?.outcome;
  if (isOfTimer && reported !== "answered") return CallOutcome.UNKNOWN;
  if (reported === undefined) {
    const heardPrompt = answer?.isPrompted === true && (callerLeg?.endedAt ?? "") >= secondOf(answer.sentAt ?? "");
    return heardPrompt ? CallOutcome.ABANDONED : CallOutcome.UNKNOWN;
  }
  const isAbandoned = reported === "missed" && legs.some((leg) => leg?.isAbandoned);
  return isAbandoned ? CallOutcome.ABANDONED : OUTCOMES[reported];
}

/** Rounds a time in ISO 8601 down to whole seconds, to compare it with times from providers, which have no fractions. */
function secondOf(time: string): string {
  return time.replace(/\.\d+Z$/, ".000Z");
}

/** The reports about legs and results that determine the times of a call. */
interface DecisiveLegs {
  /** The leg that `decisiveLeg` returns. */
  readonly leg: LegEvidence | undefined;
  /** The result of dialing the step to which `leg` belongs. */
  readonly result: LegEvidence | undefined;
  /** The dial result after which the call does not go on. */
  readonly final: LegEvidence | undefined;
  readonly callerLeg: LegEvidence | undefined;
}

/** The times of an answered call, in milliseconds since 1970, and its duration in whole seconds. Each is undefined if unknown. */
interface AnsweredTimes {
  readonly answer?: number | undefined;
  readonly end?: number | undefined;
  readonly seconds?: number | undefined;
}

/**
 * Returns the times of an answered call, as the phone system stated them. A time that the phone system did not state is computed from the stated
 * duration. Without a stated duration, the time is the earliest arrival of a report, because a report arrives after its event.
 *
 * If the phone system stated two of answer, end and duration, the result does not depend on when reports arrived.
 */
function timesOfAnswered({ leg = {}, result = {}, final = {}, callerLeg = {} }: DecisiveLegs): AnsweredTimes {
  const seconds = result.durationSeconds ?? leg.durationSeconds;
  const durationMs = (seconds ?? Number.NaN) * 1000;
  const statedEnds = [findReportedEndTime(final), findReportedEndTime(leg)];
  const end = statedEnds.find((time) => time !== undefined);
  const answer = findReportedAnswerTime(leg) ?? findReportedAnswerTime(result);
  if (answer !== undefined && end !== undefined) return { answer, end, seconds: wholeSeconds(end - answer) };
  if (seconds !== undefined && end !== undefined) return { answer: end - durationMs, end, seconds };
  if (seconds !== undefined && answer !== undefined) return { answer, end: answer + durationMs, seconds };
  const lastEnd = end ?? findReportedEndTime(callerLeg) ?? earliest([final.endedAt, leg.endedAt, callerLeg.endedAt]);
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

/**
 * Returns the time at which the phone system stated that an unanswered call ended. If the phone system stated no time, returns the time at which the
 * first report of the end arrived.
 */
function endOf({ leg = {}, result = {}, final = {}, callerLeg = {} }: DecisiveLegs): number {
  const legEnd = result.isContinued ? undefined : findReportedEndTime(leg);
  const stated = findReportedEndTime(final) ?? legEnd ?? findReportedEndTime(callerLeg);
  return stated ?? (earliest([final.endedAt, callerLeg.endedAt]) as number);
}

function earliest(times: readonly (string | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined).map((time) => Date.parse(time));
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Rounds a duration down to whole seconds. Returns 0 for a negative duration, which results from clocks that differ. */
function wholeSeconds(ms: number): number {
  return Math.max(0, Math.floor(ms / 1000));
}

/** Returns the time of the answer as the field `answeredAt`, limited to the period between the start and the end of the call. */
function answerOf({ answer }: AnsweredTimes, start: number, end = Number.POSITIVE_INFINITY) {
  return answer !== undefined && { answeredAt: new Date(Math.min(Math.max(start, answer), end)) };
}
