import {
  type CallEvidence,
  computeCallDurationSeconds,
  DomainError,
  type NewCall,
  type NewHistoricCall,
  type OutcomeBasis,
  type PrincipalAccount,
  type RejectReason,
} from "@calltrack/domain";
import type { Call } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { type Executor, isUniqueViolation } from "@calltrack/postgres";
import type { BatchRecordResult } from "../batches/batch-results.js";
import {
  type CallToInsert,
  createCallsOfAccountStatement,
  createCallsStatement,
  createHistoricCallsStatement,
  type RecordedCallRow,
} from "./call-creation-statements.js";
import { toCallMessage, toOutcomeColumns } from "./call-row.js";
import type { NumberHolder } from "./number-holders.js";

/** A call to record, and the key of its caller. */
export interface CallWithCallerKey {
  /** Does not contain the caller's number if callers' numbers are not stored. */
  readonly call: NewCall;
  /** The result of `CallerHasher` for the caller's number; null for a caller without a number. */
  readonly callerKey: string | null;
  /** The only account that may hold the number; undefined if any account may. */
  readonly own: PrincipalAccount | undefined;
  /** Undefined unless a phone system reported the call by webhooks. */
  readonly report?: ReportedCallDetails | undefined;
  /** Undefined unless the call is from `ImportCallHistory`. */
  readonly history?: HistoricCallDetails | undefined;
}

/** The facts that a call from `ImportCallHistory` states. Other calls get these facts from their call tracker. */
export type HistoricCallDetails = Pick<NewHistoricCall, "originalNumber" | "source" | "medium" | "propertyToken">;

/** The facts of a call that a phone system reported by webhooks, besides its times and outcome. */
export interface ReportedCallDetails {
  /** The id that Calltrack assigned to the call, not the phone system's. */
  readonly id: string;
  readonly phoneSystemId: string;
  readonly evidence: CallEvidence;
  /** Undefined until the call has ended, or if no report states the duration. */
  readonly durationSeconds: number | undefined;
  /** Undefined until the call has ended. */
  readonly basis: OutcomeBasis | undefined;
  /** Undefined if the call was not rejected. */
  readonly rejectReason: RejectReason | undefined;
  /** The number that answered; undefined if nobody answered, or if the number is unknown. */
  readonly answeredBy: string | undefined;
}

export interface CallWithNumberHolder extends CallWithCallerKey {
  readonly holder: NumberHolder;
}

/** The constraints that fail if another transaction inserts the same call, or the first call from the same caller. */
const COLLISIONS = ["calls_call_id_is_unique", "calls_pkey", "calls_caller_has_one_first"];

/** The maximum number of retries after collisions. A retry sees the call of the other transaction. */
const MAX_COLLISIONS = 20;

/**
 * Records calls for any accounts in one statement, each for the holder of its number. The database must not be distributed.
 *
 * @returns a result for each call. An error means that the call exists with other values. Undefined means that the number had no holder, that the
 *   holder's account is not `own`, or that an earlier call in `calls` has the same id. In these cases, look up the holder, and call
 *   `insertCallsOfAccount`.
 */
export async function insertCalls(
  db: Executor,
  calls: readonly CallWithCallerKey[],
): Promise<readonly (BatchRecordResult<Call> | undefined)[]> {
  const { firsts, rows } = await insertFirsts(calls, (given) => createCallsStatement(db, { calls: given }));
  return calls.map((each) => {
    const row = firsts.has(each) ? rows.get(keyOf(each)) : undefined;
    return row && resultOf(each, row, row.is_new);
  });
}

/** Records calls to numbers of one account. A result is an error if the call exists with other values. */
export async function insertCallsOfAccount(
  db: Executor,
  calls: readonly CallWithNumberHolder[],
): Promise<readonly BatchRecordResult<Call>[]> {
  const accountId = calls[0]?.holder.accountId as number;
  return insertAll(calls, (given) => createCallsOfAccountStatement(db, { accountId, calls: given }));
}

/** Records an account's calls from `ImportCallHistory`. A result is an error if the call exists with other values. */
export async function insertHistoricCalls(
  db: Executor,
  accountId: number,
  calls: readonly CallWithCallerKey[],
): Promise<readonly BatchRecordResult<Call>[]> {
  return insertAll(calls, (given) => createHistoricCallsStatement(db, { accountId, calls: given }));
}

/** @param insert inserts a JSON array of calls, and returns a row for each call. */
async function insertAll(
  calls: readonly CallWithCallerKey[],
  insert: (calls: string) => Promise<readonly RecordedCallRow[]>,
): Promise<readonly BatchRecordResult<Call>[]> {
  const { firsts, rows } = await insertFirsts(calls, insert);
  return calls.map((each) => {
    const row = rows.get(keyOf(each)) as RecordedCallRow;
    return resultOf(each, row, row.is_new && firsts.has(each));
  });
}

/** Of the calls with the same `keyOf`, inserts only the first. Returns the first calls, and the inserted and existing rows, keyed by `keyOf`. */
async function insertFirsts(
  calls: readonly CallWithCallerKey[],
  insert: (calls: string) => Promise<readonly RecordedCallRow[]>,
) {
  const firsts = new Map<string, CallWithCallerKey>();
  for (const each of calls) if (!firsts.has(keyOf(each))) firsts.set(keyOf(each), each);
  const given = JSON.stringify([...firsts.values()].map(callToInsertOf));
  const recorded = await retryCollisions(() => insert(given));
  return { firsts: new Set(firsts.values()), rows: new Map(recorded.map((row) => [keyOfRow(row), row])) };
}

/** Returns a key that identifies a call in a batch. Calls from two phone systems can have the same `callId`. */
function keyOf({ call, report }: CallWithCallerKey): string {
  return report === undefined ? call.callId : `${report.id} of a phone system`;
}

function keyOfRow({ phone_system_id, id, call_id }: RecordedCallRow): string {
  return phone_system_id === null ? call_id : `${id} of a phone system`;
}

async function retryCollisions<T>(insert: () => Promise<T>): Promise<T> {
  for (let collisions = 0; ; collisions++) {
    try {
      return await insert();
    } catch (error) {
      const collides = COLLISIONS.some((constraint) => isUniqueViolation(error, constraint));
      if (!collides || collisions >= MAX_COLLISIONS) throw error;
    }
  }
}

function resultOf(recorded: CallWithCallerKey, row: RecordedCallRow, isNew: boolean): BatchRecordResult<Call> {
  if (!isRepeated(recorded, row)) return new DomainError("CALL_ALREADY_EXISTS", { callId: row.call_id, id: row.id });
  return { response: toCallMessage(row.account_token, row), isNew };
}

/**
 * Reports whether a request repeats an existing call: both have the same tracking number, caller and start and, if both are imported, the
 * same `HistoricCallDetails`. A call that a phone system reported by webhooks is identified by its id alone.
 */
function isRepeated({ call, callerKey, report, history }: CallWithCallerKey, row: RecordedCallRow): boolean {
  if (report !== undefined) return true;
  const hasSameStart = call.isStartSent ? row.started_at.getTime() === call.startedAt.getTime() : true;
  return (
    row.tracking_number === call.trackingNumber &&
    row.caller_key === callerKey &&
    row.is_start_sent === call.isStartSent &&
    hasSameStart &&
    (history === undefined || !row.is_imported || hasDetails(row, history))
  );
}

function hasDetails(
  row: RecordedCallRow,
  { originalNumber, source, medium, propertyToken }: HistoricCallDetails,
): boolean {
  const given = [originalNumber, source, medium, propertyToken].map((value) => value ?? null);
  return [row.original_number, row.source, row.medium, row.property_token].every(
    (value, index) => value === given[index],
  );
}

function callToInsertOf(
  { call, callerKey, own, report, history, holder }: CallWithCallerKey & Partial<CallWithNumberHolder>,
  place: number,
): CallToInsert {
  return {
    place,
    id: report?.id,
    call_id: call.callId,
    tracking_number: call.trackingNumber,
    caller_number: call.callerNumber ?? null,
    caller_key: callerKey,
    started_at: call.startedAt,
    is_start_sent: call.isStartSent,
    answered_at: call.answeredAt ?? null,
    ended_at: call.endedAt ?? null,
    duration_seconds: (report === undefined ? computeCallDurationSeconds(call) : report.durationSeconds) ?? null,
    ...toOutcomeColumns(call.outcome),
    recording_url: call.recordingUrl ?? null,
    phone_system_id: report?.phoneSystemId ?? null,
    evidence: report?.evidence ?? null,
    outcome_basis: report?.basis ?? null,
    reject_reason: report?.rejectReason ?? null,
    caller_attestation: report?.evidence.callerAttestation ?? null,
    answered_by: report?.answeredBy ?? null,
    was_prompted: report?.evidence.answer?.isPrompted,
    was_recorded: report?.evidence.answer?.isRecorded,
    pool_id: holder?.poolId,
    call_tracker_id: holder?.callTrackerId,
    own_account_id: own?.id,
    original_number: history?.originalNumber,
    property_token: history?.propertyToken,
    source: history?.source,
    medium: history?.medium,
  };
}
