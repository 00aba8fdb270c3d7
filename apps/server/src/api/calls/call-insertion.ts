import { callDurationSeconds, DomainError, type NewCall, type PrincipalAccount } from "@calltrack/domain";
import type { Call } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { type Executor, isUniqueViolation } from "@calltrack/postgres";
import type { BatchResult } from "../batches/batch-results.js";
import {
  type CallToInsert,
  createCallsOfAccountStatement,
  createCallsStatement,
  type RecordedCallRow,
} from "./call-creation-statements.js";
import { callOf, outcomeNameOf } from "./call-row.js";
import type { NumberHolder } from "./number-holders.js";

/** A call and its caller. */
export interface KeyedCall {
  /** Without the caller's number if numbers are not stored. */
  readonly call: NewCall;
  /** See `CallerHasher`; null if the caller withheld the number. */
  readonly callerKey: string | null;
  /** The only account that may hold the number; undefined if any may. */
  readonly own: PrincipalAccount | undefined;
}

/** A call and the holder of its number. */
export interface HeldCall extends KeyedCall {
  readonly holder: NumberHolder;
}

/** The constraints that fail if another transaction inserts the same call, or the first call of the same caller. */
const COLLISIONS = ["calls_call_id_is_unique", "calls_caller_has_one_first"];

/** Max retries after a collision. A retry sees the call of the other transaction. */
const MAX_COLLISIONS = 20;

/**
 * Records calls of any accounts in one statement, each for the holder of its number. The database must not be distributed.
 *
 * @returns for each call, undefined if its number had no holder, or another than its own account, or if an earlier
 *   call has the same id. Then the caller looks up the holder and calls `insertCallsOfAccount`. An error if the call
 *   exists with other values.
 */
export async function insertCalls(
  db: Executor,
  calls: readonly KeyedCall[],
): Promise<readonly (BatchResult<Call> | undefined)[]> {
  const { firsts, rows } = await insertFirsts(calls, (given) => createCallsStatement(db, { calls: given }));
  return calls.map((each) => {
    const row = firsts.has(each) ? rows.get(each.call.callId) : undefined;
    return row && resultOf(each, row, row.is_new);
  });
}

/** Records calls whose numbers are held by one account. The result is an error if the call exists with other values. */
export async function insertCallsOfAccount(
  db: Executor,
  calls: readonly HeldCall[],
): Promise<readonly BatchResult<Call>[]> {
  const accountId = calls[0]?.holder.accountId as number;
  const { firsts, rows } = await insertFirsts(calls, (given) =>
    createCallsOfAccountStatement(db, { accountId, calls: given }),
  );
  return calls.map((each) => {
    const row = rows.get(each.call.callId) as RecordedCallRow;
    return resultOf(each, row, row.is_new && firsts.has(each));
  });
}

/** Inserts the first call of each id. Returns these calls, and the rows by the ids of the calls. */
async function insertFirsts(
  calls: readonly (KeyedCall | HeldCall)[],
  insert: (calls: string) => Promise<readonly RecordedCallRow[]>,
) {
  const firsts = new Map<string, KeyedCall>();
  for (const each of calls) if (!firsts.has(each.call.callId)) firsts.set(each.call.callId, each);
  const given = JSON.stringify([...firsts.values()].map(callToInsertOf));
  const recorded = await retryCollisions(() => insert(given));
  return { firsts: new Set(firsts.values()), rows: new Map(recorded.map((row) => [row.call_id, row])) };
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

function resultOf(recorded: KeyedCall, row: RecordedCallRow, isNew: boolean): BatchResult<Call> {
  if (!isRepeated(recorded, row)) return new DomainError("CALL_ALREADY_EXISTS", { callId: row.call_id, id: row.id });
  return { response: callOf(row.account_token, row), isNew };
}

/** Reports whether a request repeats an existing call: its tracking number, caller and start are the same. */
function isRepeated({ call, callerKey }: KeyedCall, row: RecordedCallRow): boolean {
  const hasSameStart = call.isStartSent ? row.started_at.getTime() === call.startedAt.getTime() : true;
  return (
    row.tracking_number === call.trackingNumber &&
    row.caller_key === callerKey &&
    row.is_start_sent === call.isStartSent &&
    hasSameStart
  );
}

function callToInsertOf({ call, callerKey, own, holder }: KeyedCall & Partial<HeldCall>, place: number): CallToInsert {
  return {
    place,
    call_id: call.callId,
    tracking_number: call.trackingNumber,
    caller_number: call.callerNumber ?? null,
    caller_key: callerKey,
    started_at: call.startedAt,
    is_start_sent: call.isStartSent,
    answered_at: call.answeredAt ?? null,
    ended_at: call.endedAt ?? null,
    duration_seconds: callDurationSeconds(call) ?? null,
    outcome: outcomeNameOf(call.outcome),
    recording_url: call.recordingUrl ?? null,
    pool_id: holder?.poolId,
    call_tracker_id: holder?.callTrackerId,
    own_account_id: own?.id,
  };
}
