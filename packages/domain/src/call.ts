import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { parseAccountReference } from "./account.js";
import { checkProgress, defaultOutcome, rejectFutureTime, UNKNOWN_OUTCOME } from "./call-progress.js";
import { DomainError } from "./domain-error.js";
import { FieldCheck } from "./field-check.js";
import {
  type BatchCreateCallsRequest,
  CallOutcome,
  type CreateCallRequest,
  type ForgetCallerRequest,
  type GetCallRequest,
  type HistoricCall,
  type ImportCallHistoryRequest,
  type UpdateCallRequest,
} from "./gen/calltracking/v1/call_pb.js";
import { pluralize } from "./pluralize.js";
import { NO_MEDIUM, readOptionalSourceName } from "./source-name.js";
import { phoneNumberProblem } from "./telephony.js";
import { referenceProblem, soundUrlProblem, tokenProblem, wordProblem } from "./text.js";

const MAX_BATCH_SIZE = 1000;

export type NewCall = ReturnType<typeof parseCreateCall>;

/** The limits for the start of a new call. */
export interface CallPeriod {
  /** The current time, which is also the default start time. */
  readonly now: Date;
  /** Maximum age of a call. Older calls would be deleted at once. */
  readonly retentionMs: number;
}

/** @throws DomainError `FIELD_INVALID` */
export function parseCreateCall(request: CreateCallRequest, period: CallPeriod) {
  const check = new FieldCheck();
  return check.done(readCall(check, request, period));
}

/**
 * Returns a call, or the error that rejects it, for each record in order.
 *
 * @throws DomainError `FIELD_INVALID` if the batch is empty or too large.
 */
export function parseBatchCreateCalls(
  { calls }: BatchCreateCallsRequest,
  period: CallPeriod,
): readonly (NewCall | DomainError)[] {
  const check = new FieldCheck();
  checkBatchSize(check, calls);
  check.done(undefined);
  return calls.map((record) => readRecord((recordCheck) => readCallOfBatch(recordCheck, record, period)));
}

/** A call to record that an account received before it used Calltrack. */
export type NewHistoricCall = ReturnType<typeof readHistoricCall>;

/**
 * Returns a call, or the error that rejects it, for each record in order.
 *
 * @throws DomainError `FIELD_INVALID` if the account is invalid, or if the batch is empty or too large.
 */
export function parseImportCallHistory(request: ImportCallHistoryRequest, period: CallPeriod) {
  const check = new FieldCheck();
  const account = parseAccountReference(check, request);
  checkBatchSize(check, request.calls);
  check.done(undefined);
  const calls = request.calls.map((record) =>
    readRecord((recordCheck) => readHistoricCall(recordCheck, record, period)),
  );
  return { account, calls };
}

/** @throws DomainError `FIELD_INVALID` */
export function parseGetCall(request: GetCallRequest) {
  const check = new FieldCheck();
  return check.done(readCallReference(check, request));
}

export type CallUpdate = ReturnType<typeof parseUpdateCall>;

/** Checks each field by itself. Check the updated call with `requireValidProgress`. Throws DomainError `FIELD_INVALID`. */
export function parseUpdateCall(request: UpdateCallRequest) {
  const check = new FieldCheck();
  return check.done({
    ...readCallReference(check, request),
    answeredAt: readTime(check, "answered_at", request.answeredAt),
    endedAt: readTime(check, "ended_at", request.endedAt),
    outcome: check.optional("outcome", request.outcome, unknownOutcomeProblem),
    /** Undefined to keep the current URL. */
    recordingUrl: check.optional("recording_url", request.recordingUrl, soundUrlProblem),
  });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseForgetCaller(request: ForgetCallerRequest) {
  const check = new FieldCheck();
  return check.done({
    account: parseAccountReference(check, request),
    callerNumber: check.required("caller_number", request.callerNumber, phoneNumberProblem),
  });
}

/** Reads a time, rounded to milliseconds; undefined if the field is unset. Reports a violation for years outside 1970 to 9999. */
export function readTime(check: FieldCheck, field: string, time: Timestamp | undefined): Date | undefined {
  if (time === undefined) return undefined;
  const date = timestampDate(time);
  const year = date.getUTCFullYear();
  if (!(year >= 1970 && year <= 9999)) check.report(field, "must be between the years 1970 and 9999");
  return date;
}

/** The rule for outcomes in requests: known and not unspecified. */
export function unknownOutcomeProblem(outcome: CallOutcome): string | undefined {
  return outcome !== CallOutcome.UNSPECIFIED && outcome in CallOutcome ? undefined : UNKNOWN_OUTCOME;
}

function checkBatchSize(check: FieldCheck, calls: readonly unknown[]): void {
  if (calls.length < 1 || calls.length > MAX_BATCH_SIZE)
    check.report("calls", `must contain 1 to ${MAX_BATCH_SIZE} records`);
}

/** Reads a record of a batch. Returns the error if it is invalid. */
function readRecord<T>(read: (check: FieldCheck) => T): T | DomainError {
  const check = new FieldCheck();
  const record = read(check);
  const { violations } = check;
  return violations.length === 0 ? record : new DomainError("FIELD_INVALID", { violations });
}

function readHistoricCall(check: FieldCheck, record: HistoricCall, period: CallPeriod) {
  if (record.outcome === CallOutcome.IN_PROGRESS)
    check.report("outcome", "must not be in_progress: an imported call is over");
  const call = readCallOfBatch(check, { ...record, outcome: record.outcome ?? pastOutcome(record) }, period);
  const source = readOptionalSourceName(check, "source", record.source);
  const medium = readOptionalSourceName(check, "medium", record.medium);
  if (record.medium !== undefined && record.source === undefined)
    check.report("source", "is required if medium is set");
  return {
    ...call,
    originalNumber: check.required("original_number", record.originalNumber, phoneNumberProblem),
    /** Undefined if the source of the call is unknown, as is `medium`. */
    source,
    medium: source === undefined ? undefined : (medium ?? NO_MEDIUM),
    propertyToken: check.optional("property_token", record.propertyToken, tokenProblem),
  };
}

/** Returns the outcome of a historic call for which the request states none. */
function pastOutcome({ answeredAt, endedAt }: HistoricCall): CallOutcome {
  if (answeredAt !== undefined) return CallOutcome.ANSWERED;
  return endedAt === undefined ? CallOutcome.UNKNOWN : CallOutcome.MISSED;
}

/** Reads a call from a batch, for which `started_at` is required: the time of the request is not the start of the call. */
function readCallOfBatch(check: FieldCheck, record: CallFields, period: CallPeriod) {
  const call = readCall(check, record, period);
  if (record.startedAt === undefined && !check.violations.some(({ field }) => field === "started_at"))
    check.report("started_at", "is required in a batch");
  return call;
}

/** The fields of a call that all requests to record calls share. */
type CallFields = Omit<CreateCallRequest, "$typeName">;

function readCall(check: FieldCheck, request: CallFields, { now, retentionMs }: CallPeriod) {
  const startedAt = readTime(check, "started_at", request.startedAt) ?? now;
  const answeredAt = readTime(check, "answered_at", request.answeredAt);
  const endedAt = readTime(check, "ended_at", request.endedAt);
  const outcome = request.outcome ?? defaultOutcome({ answeredAt, endedAt });
  const call = {
    /** Id assigned by the phone system. */
    callId: check.required("call_id", request.callId, wordProblem),
    trackingNumber: check.required("tracking_number", request.trackingNumber, phoneNumberProblem),
    /** Undefined if the caller withheld it, or if it is unreadable. */
    callerNumber: check.optional("caller_number", request.callerNumber, phoneNumberProblem),
    ...{ startedAt, answeredAt, endedAt, outcome },
    /** Whether the request has `started_at`. If not, `startedAt` is the service's current time. */
    isStartSent: request.startedAt !== undefined,
    recordingUrl: check.optional("recording_url", request.recordingUrl, soundUrlProblem),
  };
  if (request.startedAt === undefined && (answeredAt ?? endedAt) !== undefined) {
    check.report("started_at", "is required if answered_at or ended_at is given");
    return call;
  }
  rejectFutureTime(check, "started_at", startedAt, now);
  if (startedAt.getTime() < now.getTime() - retentionMs) {
    const days = Math.floor(retentionMs / 86_400_000);
    check.report(
      "started_at",
      `must be at most ${pluralize(days, "day")} ago: older calls are not kept (CALL_RETENTION)`,
    );
  }
  checkProgress(check, call, now);
  return call;
}

function readCallReference(check: FieldCheck, request: Pick<GetCallRequest, "accountId" | "id">) {
  return { account: parseAccountReference(check, request), id: check.required("id", request.id, referenceProblem) };
}
