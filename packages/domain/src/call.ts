import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { parseAccountReference } from "./account.js";
import { type CallUpdate, defaultOutcome, reportFuture, reportProgress } from "./call-progress.js";
import { DomainError } from "./domain-error.js";
import { FieldCheck } from "./field-check.js";
import {
  type BatchCreateCallsRequest,
  CallOutcome,
  type CreateCallRequest,
  type ForgetCallerRequest,
  type GetCallRequest,
  type UpdateCallRequest,
} from "./gen/calltracking/v1/call_pb.js";
import { phoneNumberProblem } from "./telephony.js";
import { referenceProblem, tokenProblem } from "./text.js";

const MAX_CALLS = 1000;
const MAX_URL_LENGTH = 2000;

/** `\p{C}` is control, format, surrogate, private-use and unassigned. */
const REFUSED_IN_URL = /[\s\p{C}]/u;

/** A call to be recorded. */
export interface NewCall {
  /** The switch's id of the call. */
  readonly callId: string;
  readonly trackingNumber: string;
  /** Undefined if it was withheld. */
  readonly callerNumber: string | undefined;
  readonly startedAt: Date;
  /** Whether the request had the start of the call, or the service took the time. */
  readonly isStartSent: boolean;
  readonly answeredAt: Date | undefined;
  readonly endedAt: Date | undefined;
  readonly outcome: CallOutcome;
  readonly recordingUrl: string | undefined;
}

/** The moments that a call may have started at. */
export interface CallPeriod {
  /** The time by which calls are recorded. */
  readonly now: Date;
  /** How long calls are kept. */
  readonly retentionMs: number;
}

/**
 * The call to record.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseCreateCall(request: CreateCallRequest, period: CallPeriod): NewCall {
  const check = new FieldCheck();
  return check.done(readCall(check, request, period));
}

/**
 * The calls to record, each or the error that CreateCall would refuse it with, in the order of the request.
 *
 * @throws DomainError `FIELD_INVALID` if there are none or too many
 */
export function parseBatchCreateCalls(
  { calls }: BatchCreateCallsRequest,
  period: CallPeriod,
): readonly (NewCall | DomainError)[] {
  const check = new FieldCheck();
  if (calls.length < 1 || calls.length > MAX_CALLS) check.report("calls", `must have 1 to ${MAX_CALLS} records`);
  check.done(undefined);
  return calls.map((record) => {
    const ofRecord = new FieldCheck();
    const call = readCall(ofRecord, record, period);
    if (record.startedAt === undefined && !ofRecord.violations.some(({ field }) => field === "started_at")) {
      ofRecord.report("started_at", "is required in a batch");
    }
    const { violations } = ofRecord;
    return violations.length === 0 ? call : new DomainError("FIELD_INVALID", { violations });
  });
}

/**
 * The name of the call to read.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseGetCall(request: GetCallRequest): { readonly account: string; readonly id: string } {
  const check = new FieldCheck();
  return check.done(readName(check, request));
}

/** A call to be updated, and what becomes known of it. */
export interface NamedCallUpdate extends CallUpdate {
  /** The token or the id of an account. */
  readonly account: string;
  readonly id: string;
  /** Undefined: it stays as it is. */
  readonly recordingUrl: string | undefined;
}

/**
 * The update of a call. Whether it fits the call is seen by `reportProgress`.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseUpdateCall(request: UpdateCallRequest): NamedCallUpdate {
  const check = new FieldCheck();
  return check.done({
    ...readName(check, request),
    answeredAt: readTime(check, "answered_at", request.answeredAt),
    endedAt: readTime(check, "ended_at", request.endedAt),
    outcome: check.optional("outcome", request.outcome, unknownOutcomeProblem),
    recordingUrl: check.optional("recording_url", request.recordingUrl, recordingUrlProblem),
  });
}

/**
 * The account and the number of the caller to forget.
 *
 * @throws DomainError `FIELD_INVALID`
 */
export function parseForgetCaller(request: ForgetCallerRequest): {
  readonly account: string;
  readonly callerNumber: string;
} {
  const check = new FieldCheck();
  return check.done({
    account: parseAccountReference(check, request),
    callerNumber: check.required("caller_number", request.callerNumber, phoneNumberProblem),
  });
}

/** Reads a time to the millisecond; undefined if there is none. */
export function readTime(check: FieldCheck, field: string, time: Timestamp | undefined): Date | undefined {
  if (time === undefined) return undefined;
  const date = timestampDate(time);
  const year = date.getUTCFullYear();
  if (!(year >= 1970 && year <= 9999)) check.report(field, "must be a time of the years 1970 to 9999");
  return date;
}

/** The rule of an outcome by itself: it must be a known one. */
export function unknownOutcomeProblem(outcome: CallOutcome): string | undefined {
  return outcome !== CallOutcome.UNSPECIFIED && outcome in CallOutcome
    ? undefined
    : "must be in_progress, answered, missed, busy, failed or voicemail";
}

function readCall(check: FieldCheck, request: CreateCallRequest, { now, retentionMs }: CallPeriod): NewCall {
  const startedAt = readTime(check, "started_at", request.startedAt) ?? now;
  const answeredAt = readTime(check, "answered_at", request.answeredAt);
  const endedAt = readTime(check, "ended_at", request.endedAt);
  const outcome = request.outcome ?? defaultOutcome({ answeredAt, endedAt });
  const call = {
    callId: check.required("call_id", request.callId, tokenProblem),
    trackingNumber: check.required("tracking_number", request.trackingNumber, phoneNumberProblem),
    callerNumber: check.optional("caller_number", request.callerNumber, phoneNumberProblem),
    ...{ startedAt, answeredAt, endedAt, outcome },
    isStartSent: request.startedAt !== undefined,
    recordingUrl: check.optional("recording_url", request.recordingUrl, recordingUrlProblem),
  };
  if (request.startedAt === undefined && (answeredAt ?? endedAt) !== undefined) {
    check.report("started_at", "is required if answered_at or ended_at is given");
    return call;
  }
  reportFuture(check, "started_at", startedAt, now);
  if (startedAt.getTime() < now.getTime() - retentionMs) {
    const days = Math.floor(retentionMs / 86_400_000);
    check.report("started_at", `must be at most ${days} days ago: older calls are not kept (CALL_RETENTION)`);
  }
  reportProgress(check, call, now);
  return call;
}

function readName(
  check: FieldCheck,
  request: Pick<GetCallRequest, "accountId" | "id">,
): { readonly account: string; readonly id: string } {
  return { account: parseAccountReference(check, request), id: check.required("id", request.id, referenceProblem) };
}

function recordingUrlProblem(url: string): string | undefined {
  if (url.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`;
  const isUsable = !REFUSED_IN_URL.test(url) && URL.parse(url)?.protocol === "https:";
  return isUsable ? undefined : "must be an https URL, such as https://recordings.example/42.mp3";
}
