import type { DialStep } from "./call-plan.js";
import type { RejectReason } from "./call-rejection.js";
import { compareCodePoints } from "./code-point-order.js";
import { CallOutcome } from "./gen/calltracking/v1/call_pb.js";

/** The evidence of a call's outcome, from the weakest to the strongest. */
export type OutcomeBasis = "timer" | "caller_leg" | "dialed_leg" | "dial_result";

/** The outcome of a leg that is over. */
export type LegOutcome = "answered" | "missed" | "busy" | "failed";

/** A report of a phone system about a call. Times are those of the phone system, or of arrival. */
export type CallEvent =
  | { readonly kind: "ring" }
  | {
      /** A leg to the business changed. */
      readonly kind: "dialed_leg";
      readonly step: DialStep;
      /** The later sequence number of a leg wins; undefined if the phone system sends none. */
      readonly sequence: number | undefined;
      readonly answeredAt: Date | undefined;
      /** Undefined until the leg is over. */
      readonly end: { readonly at: Date; readonly outcome: LegOutcome } | undefined;
    }
  | {
      /** The result of dialing the business. */
      readonly kind: "dial_result";
      readonly step: DialStep;
      readonly outcome: LegOutcome;
      readonly endedAt: Date;
      /** When the business answered, if the phone system says so. */
      readonly answeredAt: Date | undefined;
      /** The duration of the dialed leg; undefined if the phone system sends none. */
      readonly durationSeconds: number | undefined;
      /** Whether another number is dialed next, so that the call goes on. By default it has ended. */
      readonly isContinued?: boolean;
      /** Why the call was rejected instead of dialing; undefined if it was not. */
      readonly rejectReason?: RejectReason | undefined;
    }
  | {
      /** The caller's leg is over. */
      readonly kind: "caller_leg";
      readonly endedAt: Date;
      /** Undefined if the status says nothing about the business, such as `completed`. */
      readonly outcome: LegOutcome | undefined;
    }
  | { readonly kind: "timer"; readonly endedAt: Date }
  | {
      readonly kind: "recording";
      /** The leg that was recorded; `original` if the phone system does not say. */
      readonly step?: DialStep;
      readonly recordingId: string;
      readonly url: string;
      /** When the link expires; undefined if it does not, or if the provider does not say. */
      readonly expiresAt: Date | undefined;
    };

/**
 * The reports of a phone system about a call so far, as JSON: `calls.evidence`. Merging is commutative, associative and
 * idempotent, so that reports may come twice and in any order.
 */
export interface CallEvidence {
  /** By the step of the leg. Times are ISO 8601. */
  readonly dialedLegs?: Readonly<Partial<Record<DialStep, LegEvidence>>>;
  readonly dialResults?: Readonly<Partial<Record<DialStep, LegEvidence>>>;
  readonly callerLeg?: LegEvidence;
  readonly timer?: LegEvidence;
  /** Of the recordings of a call, that of the last leg. */
  readonly recording?: RecordingEvidence;
}

/** The state of a leg, as far as it is known. */
export interface LegEvidence {
  /** The sequence number of the end. */
  readonly sequence?: number;
  readonly answeredAt?: string;
  readonly endedAt?: string;
  readonly outcome?: LegOutcome;
  readonly durationSeconds?: number;
  readonly isContinued?: true;
  /** Releases that do not know it leave it out, and keep what is stored. */
  readonly rejectReason?: RejectReason;
}

/** The link to a recording. */
export interface RecordingEvidence {
  readonly step?: "fallback";
  readonly id: string;
  readonly url: string;
  readonly expiresAt?: string;
}

/** Adds an event to the evidence of a call. */
export function mergeEvent(evidence: CallEvidence, event: CallEvent): CallEvidence {
  switch (event.kind) {
    case "ring":
      return evidence;
    case "dialed_leg": {
      const { step, sequence, answeredAt, end } = event;
      const leg = legEvidence({ answeredAt, ...(end && { sequence, endedAt: end.at, outcome: end.outcome }) });
      return { ...evidence, dialedLegs: mergeStep(evidence.dialedLegs, step, leg) };
    }
    case "dial_result":
      return { ...evidence, dialResults: mergeStep(evidence.dialResults, event.step, legEvidence(event)) };
    case "caller_leg":
      return { ...evidence, callerLeg: mergeLegs(evidence.callerLeg, legEvidence(event)) };
    case "timer":
      return { ...evidence, timer: mergeLegs(evidence.timer, legEvidence(event)) };
    case "recording":
      return { ...evidence, recording: laterRecording(evidence.recording, recordingEvidence(event)) };
  }
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
  const legOutcome = leg?.outcome ?? (leg?.answeredAt === undefined ? undefined : "answered");
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

function legEvidence(event: {
  readonly sequence?: number | undefined;
  readonly answeredAt?: Date | undefined;
  readonly endedAt?: Date | undefined;
  readonly outcome?: LegOutcome | undefined;
  readonly durationSeconds?: number | undefined;
  readonly isContinued?: boolean;
  readonly rejectReason?: RejectReason | undefined;
}): LegEvidence {
  const { sequence, answeredAt, endedAt, outcome, durationSeconds, isContinued, rejectReason } = event;
  return {
    ...(sequence !== undefined && { sequence }),
    ...(answeredAt && { answeredAt: answeredAt.toISOString() }),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
    ...(outcome && { outcome }),
    ...(durationSeconds !== undefined && { durationSeconds }),
    ...(isContinued && { isContinued }),
    ...(rejectReason && { rejectReason }),
  };
}

function mergeStep(
  steps: CallEvidence["dialedLegs"],
  step: DialStep,
  leg: LegEvidence,
): Partial<Record<DialStep, LegEvidence>> {
  return { ...steps, [step]: mergeLegs(steps?.[step], leg) };
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

function recordingEvidence(event: CallEvent & { readonly kind: "recording" }): RecordingEvidence {
  const { step, recordingId: id, url, expiresAt } = event;
  return {
    ...(step === "fallback" && { step }),
    ...{ id, url },
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
  };
}

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
