import {
  type CallEvidence,
  isOver,
  type LegEvidence,
  type OutcomeBasis,
  statedAnswer,
  statedEnd,
} from "./call-evidence.js";
import type { RejectReason } from "./call-rejection.js";
import { compareCodePoints } from "./code-point-order.js";
import { compareSteps, type DialStep, type LegName, stepOf } from "./dial-step.js";
import { CallOutcome } from "./gen/calltracking/v1/call_pb.js";
import type { LegOutcome } from "./leg-end.js";

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
  /** The number that answered; undefined if nobody did, or if it is not known. */
  readonly answeredBy?: string;
  /** Why the call was rejected; undefined if it was not, or if it was answered all the same. */
  readonly rejectReason?: RejectReason;
}

/**
 * Returns what the evidence says about a call. Its times are in order, and its outcome fits them.
 *
 * A dial result beats the dialed leg, which beats the caller's leg, which beats a timer. The last step that was dialed decides, unless
 * the result of an earlier one is that it was answered. If a step rang several legs, the one that was answered decides. A
 * dialed leg never ends a call by itself.
 *
 * docs/calls.md says where each time comes from.
 */
export function progressOf(startedAt: Date, evidence: CallEvidence): KnownProgress {
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
  if (!isOver(evidence)) return { ...answerOf(times, start), ...answered, outcome: CallOutcome.IN_PROGRESS };
  if (evidence.voicemail !== undefined && reported !== "answered")
    return progressOfVoicemail(start, evidence.voicemail, callerLeg);
  // The end of an answered leg is that of its call, even if nothing else was reported.
  const isLegEnd = reported === "answered" && times.end !== undefined;
  const isOfTimer = (final ?? callerLeg) === undefined && !isLegEnd;
  // Legs of a group are canceled as soon as one of them is answered, so they do not tell that the caller hung up.
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
  return legNames({ ...answer?.dialed, ...dialedLegs }).filter((name) => stepOf(name) === step).length > 1;
}

/**
 * Returns the result of a dial of several numbers that nobody answered. Providers do not say which of them gives it its status, so the legs decide: the
 * caller heard ringing if one of the numbers rang.
 */
function resultOfGroup(result: LegEvidence | undefined, leg: LegEvidence | undefined): LegEvidence | undefined {
  const { outcome } = leg ?? {};
  if (result === undefined || outcome === undefined || outcome === "answered") return result;
  return LEG_RANKS.indexOf(outcome) < LEG_RANKS.indexOf(result.outcome) ? { ...result, outcome } : result;
}

/** A message in the voicemail is as strong as the result of a dial. The call may go on after the message, until the caller hangs up. */
function progressOfVoicemail(start: number, voicemail: LegEvidence, callerLeg: LegEvidence = {}): KnownProgress {
  const end = statedEnd(callerLeg) ?? statedEnd(voicemail) ?? earliest([voicemail.endedAt, callerLeg.endedAt]) ?? start;
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

/** Returns the steps of legs, as they are tried. */
function stepsOf(legs: CallEvidence["dialedLegs"]): readonly DialStep[] {
  return [...new Set(legNames(legs).map(stepOf))].sort(compareSteps);
}

function legNames(legs: object | undefined): readonly LegName[] {
  return Object.keys(legs ?? {}) as LegName[];
}

/** How legs of one step rank that rang at the same time. If nobody answered, the caller was heard ringing rather than busy. */
const LEG_RANKS: readonly (LegOutcome | undefined)[] = ["answered", "missed", "busy", "failed", undefined];

/** Returns the leg that decides the outcome of a step, with its name. It has no outcome until it is answered or over. */
function decisiveLeg({ dialedLegs }: CallEvidence, step: DialStep): readonly [LegName, LegEvidence] | undefined {
  const legs = legNames(dialedLegs).flatMap((name): (readonly [LegName, LegEvidence])[] => {
    const leg = stepOf(name) === step ? dialedLegs?.[name] : undefined;
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

/** After every time in ISO 8601. */
const LAST = "\uffff";

/** Returns the number that answered; undefined if the step rang several numbers, and nobody said which of them answered. */
function numberOf({ answer }: CallEvidence, step: DialStep, answered: LegName | undefined): string | undefined {
  const rung = legNames(answer?.dialed).filter((name) => stepOf(name) === step);
  const name = rung.length > 1 ? answered : rung[0];
  return name && answer?.dialed?.[name];
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
    const heardPrompt = answer?.isPrompted === true && (callerLeg?.endedAt ?? "") >= secondOf(answer.sentAt ?? "");
    return heardPrompt ? CallOutcome.ABANDONED : CallOutcome.UNKNOWN;
  }
  const isAbandoned = reported === "missed" && legs.some((leg) => leg?.isAbandoned);
  return isAbandoned ? CallOutcome.ABANDONED : OUTCOMES[reported];
}

/** Returns the whole second of a time in ISO 8601: times of providers have no fractions. */
function secondOf(time: string): string {
  return time.replace(/\.\d+Z$/, ".000Z");
}

/** The evidence that tells the times of a call. */
interface DecisiveLegs {
  /** The leg to the number that decides, and the result of dialing it. */
  readonly leg: LegEvidence | undefined;
  readonly result: LegEvidence | undefined;
  /** The result that ends the call. */
  readonly final: LegEvidence | undefined;
  readonly callerLeg: LegEvidence | undefined;
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
function timesOfAnswered({ leg = {}, result = {}, final = {}, callerLeg = {} }: DecisiveLegs): AnsweredTimes {
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
function endOf({ leg = {}, result = {}, final = {}, callerLeg = {} }: DecisiveLegs): number {
  const legEnd = result.isContinued ? undefined : statedEnd(leg);
  const stated = statedEnd(final) ?? legEnd ?? statedEnd(callerLeg);
  return stated ?? (earliest([final.endedAt, callerLeg.endedAt]) as number);
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
