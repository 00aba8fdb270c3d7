import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { CallOutcome } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { FieldValue, RowGroupContent } from "../import/import-row.js";
import type { CallLeg, CallOrigin } from "./call-leg.js";
import type { CallLogFormat } from "./call-log-format.js";
import { findLegOfOtherCall } from "./find-leg-of-other-call.js";
import { type CallLogPhoneNumber, type NationalNumberOptions, parseCallLogPhoneNumber } from "./log-number.js";

export interface LegJoinOptions extends NationalNumberOptions {
  /** Whether all calls have ended, even those without an end time. */
  readonly isPast: boolean;
  readonly origins?: CallLogFormat["origins"] | undefined;
}

/**
 * Returns the fields of the call that the legs describe, or the reason why the call is rejected or skipped.
 *
 * @param log undefined for a file with Calltrack's own columns, whose numbers are in E.164 format.
 * @param deriveId returns an id for a call from a log without ids.
 */
export function joinLegsIntoCall(
  unordered: readonly CallLeg[],
  log: LegJoinOptions | undefined,
  deriveId: (parties: CallPhoneNumbers, startedAt: number) => string,
): RowGroupContent {
  const legs = markLinkedLegs(unordered.toSorted(log === undefined ? compareStarts : compareLegs));
  const callerLegs = legs.filter(({ isDialed }) => !isDialed);
  const mainLegs = callerLegs.length > 0 ? callerLegs : legs;
  const [main] = mainLegs as [CallLeg, ...CallLeg[]];
  const unrelated =
    log && legs.some(({ skipReason }) => skipReason === undefined) ? findLegOfOtherCall(legs, log) : undefined;
  if (unrelated !== undefined) return refusal(unrelated.leg, unrelated.problem);
  if (main.skipReason !== undefined) return { kind: "skipped", reason: main.skipReason };
  const broken = unordered.find(({ problem }) => problem !== undefined);
  if (broken?.problem !== undefined) return refusal(broken, broken.problem);
  const undated = unordered.find(({ startedAt }) => startedAt === undefined);
  if (undated !== undefined) return refusal(undated, "started_at is required");
  const byRelevance = callerLegs.length > 0 ? [...callerLegs, ...legs.filter(({ isDialed }) => isDialed)] : legs;
  const parties = log === undefined ? givenNumbers(byRelevance) : readNumbers(byRelevance, log);
  if ("kind" in parties) return parties;
  const startedAt = startOf(legs[0] as CallLeg);
  const fields: Record<string, FieldValue | undefined> = {
    callId: main.callId || deriveId(parties, startedAt),
    ...parties,
    startedAt: timestampFromMs(startedAt),
    ...progressOf(legs, mainLegs, log?.isPast ?? false),
    recordingUrl: legs.find(({ recordingUrl }) => recordingUrl !== undefined)?.recordingUrl,
    ...originFields(byRelevance, parties, log),
  };
  const given = Object.entries(fields).filter((entry): entry is [string, FieldValue] => entry[1] !== undefined);
  return { kind: "fields", fields: Object.fromEntries(given) };
}

/** Returns the fields that only calls from the time before Calltrack have. */
function originFields(legs: readonly CallLeg[], { trackingNumber }: CallPhoneNumbers, log: LegJoinOptions | undefined) {
  const { "*": all, [trackingNumber]: own } = log?.origins ?? {};
  const origins = [all, own, ...legs.map(({ origin }) => origin).toReversed()];
  const { original_number: written, ...origin }: CallOrigin = Object.assign({}, ...origins);
  const read = log && written !== undefined ? parseCallLogPhoneNumber(written, log) : undefined;
  return {
    // An unreadable number is sent unchanged: the service rejects it with a message that contains it.
    originalNumber: read?.kind === "number" ? read.number : written,
    ...{ source: origin.source, medium: origin.medium, propertyToken: origin.property_token },
  };
}

function compareStarts(one: CallLeg, other: CallLeg): number {
  return startOf(one) - startOf(other);
}

/**
 * Orders legs by their start. Many logs have whole seconds, and phone systems write a leg when it ends. Of the legs that start in the same second,
 * the caller's leg comes first: its ids show it or, failing that, it ends last, because it outlasts the legs that it dials.
 */
function compareLegs(one: CallLeg, other: CallLeg): number {
  return (
    compareStarts(one, other) ||
    Number(other.hasCallerLegIds) - Number(one.hasCallerLegIds) ||
    endOf(other) - endOf(one)
  );
}

function startOf({ startedAt }: CallLeg): number {
  return startedAt ?? Number.POSITIVE_INFINITY;
}

function refusal({ row }: CallLeg, reason: string): RowGroupContent {
  return { kind: "unreadable", reason, line: row.line };
}

/**
 * Marks the legs to the business. In a log that links legs by their ids, every leg whose call id differs from the first leg's goes to the business.
 */
function markLinkedLegs(legs: readonly CallLeg[]): readonly CallLeg[] {
  const [first] = legs;
  return legs.map((leg) => (leg.callId === first?.callId || leg.isDialed ? leg : { ...leg, isDialed: leg.isLinked }));
}

export interface CallPhoneNumbers {
  readonly trackingNumber: string;
  /** Undefined if the number is withheld. */
  readonly callerNumber: string | undefined;
}

/** Returns the phone numbers from rows that use Calltrack's own columns. */
function givenNumbers(legs: readonly CallLeg[]): CallPhoneNumbers | RowGroupContent {
  const caller = legs.find(({ callerNumber }) => callerNumber !== "");
  const other = legs.find(({ callerNumber }) => callerNumber !== "" && callerNumber !== caller?.callerNumber);
  if (caller !== undefined && other !== undefined) {
    const lines = `lines ${caller.row.line} and ${other.row.line}`;
    return refusal(other, `${lines} have the same call_id but different callers: correct the call_id or the caller`);
  }
  return { trackingNumber: legs[0]?.trackingNumber ?? "", callerNumber: caller?.callerNumber };
}

/** Parses numbers as phone systems write them, such as `"Shop" <0201234567>`. */
function readNumbers(legs: readonly CallLeg[], options: NationalNumberOptions): CallPhoneNumbers | RowGroupContent {
  const dialed = legs.map((leg) => ({ leg, read: parseCallLogPhoneNumber(leg.trackingNumber, options) }));
  const tracking = findNumber(dialed);
  if (tracking === undefined) {
    const [text] = legs.map(({ trackingNumber }) => trackingNumber).filter((each) => each !== "");
    const detail =
      text === undefined ? "no dialed number" : `the dialed number ${JSON.stringify(text)} is not a full number`;
    return { kind: "skipped", reason: detail };
  }
  if (tracking.read.kind !== "number") {
    const problem = "problem" in tracking.read ? tracking.read.problem : "lacks digits: export it in full";
    return refusal(tracking.leg, `tracking_number ${JSON.stringify(tracking.leg.trackingNumber)} ${problem}`);
  }
  const callers = legs
    .filter(({ callerNumber }) => callerNumber !== "")
    .map((leg) => ({ leg, read: parseCallLogPhoneNumber(leg.callerNumber, options) }));
  // A number with masked digits counts as withheld, unless another row of the call has the whole number.
  const caller = callers.find(({ read }) => read.kind !== "masked");
  if (caller?.read.kind === "unreadable") return refusal(caller.leg, `caller_number ${caller.read.problem}`);
  if (caller?.read.kind === "internal" && /\d/.test(caller.leg.callerNumber))
    return { kind: "skipped", reason: "outbound or internal call: the caller is an extension" };
  const callerNumber = caller?.read.kind === "number" ? caller.read.number : undefined;
  return { trackingNumber: tracking.read.number, callerNumber };
}

/** Returns the first leg with a phone number or, failing that, the first leg with an unreadable or masked number. */
function findNumber(all: readonly { leg: CallLeg; read: CallLogPhoneNumber }[]) {
  return (
    all.find(({ read }) => read.kind === "number") ??
    all.find(({ read }) => read.kind === "unreadable" || read.kind === "masked")
  );
}

/**
 * Returns the times and the outcome of a call. The call was answered if a leg to the business was answered or, in a log without such legs, if
 * any leg was. Otherwise, the leg that began last determines the outcome.
 */
function progressOf(
  legs: readonly CallLeg[],
  mainLegs: readonly CallLeg[],
  isPast: boolean,
): Record<string, FieldValue | undefined> {
  const hasDialed = legs.some(({ isDialed }) => isDialed);
  const deciding = legs.filter(
    ({ isDialed, endedAt, outcome }) =>
      (isDialed || !hasDialed || outcome === CallOutcome.VOICEMAIL) && (endedAt !== undefined || outcome === ANSWERED),
  );
  const answers = deciding.filter(({ outcome }) => outcome === ANSWERED);
  const answeredAt = answers
    .map((leg) => leg.answeredAt ?? startOf(leg))
    .reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const answer = answers.length > 0 ? timestampFromMs(answeredAt) : undefined;
  if (!mainLegs.some(({ endedAt }) => endedAt !== undefined)) {
    const open = isPast ? CallOutcome.UNKNOWN : CallOutcome.IN_PROGRESS;
    return { answeredAt: answer, outcome: answer === undefined ? open : ANSWERED };
  }
  const ends = legs.map(({ endedAt }) => endedAt).filter((end) => end !== undefined);
  const last = deciding.toSorted((one, other) => startOf(one) - startOf(other) || endOf(one) - endOf(other)).at(-1);
  const voicemail = deciding.find(({ outcome }) => outcome === CallOutcome.VOICEMAIL);
  const unanswered = voicemail?.outcome ?? last?.outcome ?? CallOutcome.MISSED;
  return {
    answeredAt: answer,
    endedAt: timestampFromMs(ends.reduce((one, other) => Math.max(one, other), answer === undefined ? 0 : answeredAt)),
    outcome: answer === undefined ? unanswered : ANSWERED,
  };
}

const ANSWERED = CallOutcome.ANSWERED;

function endOf({ endedAt }: CallLeg): number {
  return endedAt ?? Number.POSITIVE_INFINITY;
}
