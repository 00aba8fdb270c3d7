import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { parseAccountReference } from "./account.js";
import {
  checkCallProgress,
  deriveDefaultCallOutcome,
  INVALID_OUTCOME_PROBLEM,
  rejectFutureTime,
} from "./call-progress.js";
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
import { findPhoneNumberProblem } from "./telephony.js";
import { findLookupKeyProblem, findSoundUrlProblem, findTokenProblem, findUnspacedTextProblem } from "./text.js";

const MAX_BATCH_SIZE = 1000;

export type NewCall = ReturnType<typeof parseCreateCallRequest>;

/** The current time and the retention period, which limit the start time of a new call. */
export interface CallStartLimits {
  /** The current time. It is the start time of a call if the request states none. */
  readonly now: Date;
  /** Maximum age of a call. Older calls are rejected, because they would be deleted at once. */
  readonly retentionMs: number;
}

/** @throws DomainError `FIELD_INVALID` */
export function parseCreateCallRequest(request: CreateCallRequest, period: CallStartLimits) {
  const check = new FieldCheck();
  return check.done(readCall(check, request, period));
}

/**
 * Returns a result for each record of the batch, in order: either a valid call, or the error that rejects the record.
 *
 * @throws DomainError `FIELD_INVALID` if the batch is empty or too large.
 */
export function parseBatchCreateCallsRequest(
  { calls }: BatchCreateCallsRequest,
  period: CallStartLimits,
): readonly (NewCall | DomainError)[] {
  const check = new FieldCheck();
  checkBatchSize(check, calls);
  check.done(undefined);
  return calls.map((record) => readRecord((recordCheck) => readCallOfBatch(recordCheck, record, period)));
}

/** A validated call that the account received before it used Calltrack. */
export type NewHistoricCall = ReturnType<typeof readHistoricCall>;

/**
 * Returns the account and a result for each record of the batch, in order: either a valid call, or the error that rejects the record.
 *
 * @throws DomainError `FIELD_INVALID` if the account is invalid, or if the batch is empty or too large.
 */
export function parseImportCallHistoryRequest(request: ImportCallHistoryRequest, period: CallStartLimits) {
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
export function parseGetCallRequest(request: GetCallRequest) {
  const check = new FieldCheck();
  return check.done(readCallReference(check, request));
}

export type CallUpdate = ReturnType<typeof parseUpdateCallRequest>;

/**
 * Checks each field of the update, but not whether the fields are consistent. Check the updated call with `requireValidCallProgress`. Throws
 * DomainError `FIELD_INVALID`.
 */
export function parseUpdateCallRequest(request: UpdateCallRequest) {
  const check = new FieldCheck();
  return check.done({
    ...readCallReference(check, request),
    answeredAt: readTimestampField(check, "answered_at", request.answeredAt),
    endedAt: readTimestampField(check, "ended_at", request.endedAt),
    outcome: check.optional("outcome", request.outcome, findCallOutcomeProblem),
    /** The new URL of the recording; undefined to keep the current one. */
    recordingUrl: check.optional("recording_url", request.recordingUrl, findSoundUrlProblem),
  });
}

/** @throws DomainError `FIELD_INVALID` */
export function parseForgetCallerRequest(request: ForgetCallerRequest) {
  const check = new FieldCheck();
  return check.done({
    account: parseAccountReference(check, request),
    callerNumber: check.required("caller_number", request.callerNumber, findPhoneNumberProblem),
  });
}

/** Converts a timestamp field to a Date, rounded to milliseconds; undefined if it is unset. Reports a violation for years outside 1970 to 9999. */
export function readTimestampField(check: FieldCheck, field: string, time: Timestamp | undefined): Date | undefined {
  if (time === undefined) return undefined;
  const date = timestampDate(time);
  const year = date.getUTCFullYear();
  if (!(year >= 1970 && year <= 9999)) check.report(field, "must be between the years 1970 and 9999");
  return date;
}

/** Returns the problem of an outcome in a request; undefined if the outcome is a value of the enum other than `UNSPECIFIED`. */
export function findCallOutcomeProblem(outcome: CallOutcome): string | undefined {
  return outcome !== CallOutcome.UNSPECIFIED && outcome in CallOutcome ? undefined : INVALID_OUTCOME_PROBLEM;
}

function checkBatchSize(check: FieldCheck, calls: readonly unknown[]): void {
  if (calls.length < 1 || calls.length > MAX_BATCH_SIZE)
    check.report("calls", `must contain 1 to ${MAX_BATCH_SIZE} records`);
}

/** Reads one record of a batch. Returns the error if the record is invalid. */
function readRecord<T>(read: (check: FieldCheck) => T): T | DomainError {
  const check = new FieldCheck();
  const record = read(check);
  const { violations } = check;
  return violations.length === 0 ? record : new DomainError("FIELD_INVALID", { violations });
}

function readHistoricCall(check: FieldCheck, record: HistoricCall, period: CallStartLimits) {
  if (record.outcome === CallOutcome.IN_PROGRESS)
    check.report("outcome", "must not be in_progress: an imported call is over");
  const call = readCallOfBatch(check, { ...record, outcome: record.outcome ?? pastOutcome(record) }, period);
  const source = readOptionalSourceName(check, "source", record.source);
  const medium = readOptionalSourceName(check, "medium", record.medium);
  if (record.medium !== undefined && record.source === undefined)
    check.report("source", "is required if medium is set");
  return {
    ...call,
    originalNumber: check.required("original_number", record.originalNumber, findPhoneNumberProblem),
    /** Undefined, like `medium`, if the source of the call is unknown. */
    source,
    medium: source === undefined ? undefined : (medium ?? NO_MEDIUM),
    propertyToken: check.optional("property_token", record.propertyToken, findTokenProblem),
  };
}

/** Derives the outcome of a historic call from its times, for a record that states no outcome. */
function pastOutcome({ answeredAt, endedAt }: HistoricCall): CallOutcome {
  if (answeredAt !== undefined) return CallOutcome.ANSWERED;
  return endedAt === undefined ? CallOutcome.UNKNOWN : CallOutcome.MISSED;
}

/** Reads a call from a batch. Requires `started_at`, because the current time is not the start time of a call in a batch. */
function readCallOfBatch(check: FieldCheck, record: CallFields, period: CallStartLimits) {
  const call = readCall(check, record, period);
  if (record.startedAt === undefined && !check.violations.some(({ field }) => field === "started_at"))
    check.report("started_at", "is required in a batch");
  return call;
}

/** The fields of a call that CreateCall, BatchCreateCalls and ImportCallHistory share. */
type CallFields = Omit<CreateCallRequest, "$typeName">;

function readCall(check: FieldCheck, request: CallFields, { now, retentionMs }: CallStartLimits) {
  const startedAt = readTimestampField(check, "started_at", request.startedAt) ?? now;
  const answeredAt = readTimestampField(check, "answered_at", request.answeredAt);
  const endedAt = readTimestampField(check, "ended_at", request.endedAt);
  const outcome = request.outcome ?? deriveDefaultCallOutcome({ answeredAt, endedAt });
  const call = {
    /** The id that the phone system assigned to the call. */
    callId: check.required("call_id", request.callId, findUnspacedTextProblem),
    trackingNumber: check.required("tracking_number", request.trackingNumber, findPhoneNumberProblem),
    /** Undefined if the caller's number is withheld or unreadable. */
    callerNumber: check.optional("caller_number", request.callerNumber, findPhoneNumberProblem),
    ...{ startedAt, answeredAt, endedAt, outcome },
    /** Whether the request states `started_at`. Otherwise, `startedAt` is the service's current time. */
    isStartSent: request.startedAt !== undefined,
    recordingUrl: check.optional("recording_url", request.recordingUrl, findSoundUrlProblem),
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
  checkCallProgress(check, call, now);
  return call;
}

function readCallReference(check: FieldCheck, request: Pick<GetCallRequest, "accountId" | "id">) {
  return { account: parseAccountReference(check, request), id: check.required("id", request.id, findLookupKeyProblem) };
}
