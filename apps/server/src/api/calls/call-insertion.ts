import { type CallerAccount, callDurationSeconds, DomainError, type NewCall } from "@calltrack/domain";
import type { Call } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { type Executor, isUniqueViolation } from "@calltrack/postgres";
import {
  type CallToInsert,
  createCallsOfAccountStatement,
  createCallsStatement,
  type HeldCallToInsert,
  type RecordedCallRow,
  type UnassignedCallToInsert,
} from "./call-creation-statements.js";
import { callOf, outcomeNameOf } from "./call-row.js";
import type { NumberHolder } from "./number-holders.js";

/** The result of recording a call. */
export interface RecordedCall {
  readonly call: Call;
  /** Whether this request created the call; false if it existed. */
  readonly isNew: boolean;
}

/** A call and its caller. */
export interface KeyedCall {
  readonly call: NewCall;
  /** See `CallerHasher`; null if the caller withheld the number. */
  readonly callerKey: string | null;
  /** Whether the caller's number is stored, not only the key. */
  readonly keepsNumber: boolean;
}

/** A call and the only account that may hold its number; undefined if any may. */
export interface UnassignedCall extends KeyedCall {
  readonly own: CallerAccount | undefined;
}

/** A call and the holder of its number. */
export interface HeldCall extends KeyedCall {
  readonly holder: NumberHolder;
}

/** The result of a call; an error if the call exists with other values. */
export type InsertionResult = RecordedCall | DomainError;

/** The constraints that fail if another transaction inserts the same call, or the first call of the same caller. */
const COLLISIONS = ["calls_call_id_is_unique", "calls_caller_has_one_first"];

/** Max retries after a collision. A retry sees the call of the other transaction. */
const MAX_COLLISIONS = 20;

/**
 * Records calls of any accounts in one statement, each for the holder of its number. The database must not be distributed.
 *
 * @returns for each call, undefined if its number had no holder, or another than its own account, or if an earlier
 *   call has the same id. Then the caller looks up the holder and calls `insertCallsOfAccount`.
 */
export async function insertCalls(
  db: Executor,
  calls: readonly UnassignedCall[],
): Promise<readonly (InsertionResult | undefined)[]> {
  const first = firstOfEachId(calls);
  const given = JSON.stringify([...first.values()].map(unassignedCallOf));
  const recorded = await retryCollisions(() => createCallsStatement(db, { calls: given }));
  const rows = new Map(recorded.map((row) => [row.call_id, row]));
  return calls.map((each) => {
    const row = first.get(each.call.callId) === each ? rows.get(each.call.callId) : undefined;
    return row && resultOf(each, row, row.is_new);
  });
}

/** Records calls whose numbers are held by one account. */
export async function insertCallsOfAccount(
  db: Executor,
  calls: readonly HeldCall[],
): Promise<readonly InsertionResult[]> {
  const accountId = calls[0]?.holder.accountId as number;
  const first = firstOfEachId(calls);
  const given = JSON.stringify([...first.values()].map(heldCallOf));
  const recorded = await retryCollisions(() => createCallsOfAccountStatement(db, { accountId, calls: given }));
  const rows = new Map(recorded.map((row) => [row.call_id, row]));
  return calls.map((each) => {
    const { callId } = each.call;
    const row = rows.get(callId) as RecordedCallRow;
    return resultOf(each, row, row.is_new && first.get(callId) === each);
  });
}

function firstOfEachId<C extends KeyedCall>(calls: readonly C[]): Map<string, C> {
  const first = new Map<string, C>();
  for (const each of calls) if (!first.has(each.call.callId)) first.set(each.call.callId, each);
  return first;
}

async function retryCollisions(insert: () => Promise<RecordedCallRow[]>): Promise<readonly RecordedCallRow[]> {
  for (let collisions = 0; ; collisions++) {
    try {
      return await insert();
    } catch (error) {
      const collides = COLLISIONS.some((constraint) => isUniqueViolation(error, constraint));
      if (!collides || collisions >= MAX_COLLISIONS) throw error;
    }
  }
}

function resultOf(recorded: KeyedCall, row: RecordedCallRow, isNew: boolean): InsertionResult {
  if (!isRepeated(recorded, row)) return new DomainError("CALL_ALREADY_EXISTS", { callId: row.call_id, id: row.id });
  return { call: callOf(row.account_token, row), isNew };
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

function unassignedCallOf(unassigned: UnassignedCall, place: number): UnassignedCallToInsert {
  return { ...callToInsertOf(unassigned, place), own_account_id: unassigned.own?.id ?? null };
}

function heldCallOf(held: HeldCall, place: number): HeldCallToInsert {
  const { poolId, callTrackerId } = held.holder;
  return { ...callToInsertOf(held, place), pool_id: poolId, call_tracker_id: callTrackerId };
}

function callToInsertOf({ call, callerKey, keepsNumber }: KeyedCall, place: number): CallToInsert {
  return {
    place,
    call_id: call.callId,
    tracking_number: call.trackingNumber,
    caller_number: keepsNumber ? (call.callerNumber ?? null) : null,
    caller_key: callerKey,
    started_at: call.startedAt,
    is_start_sent: call.isStartSent,
    answered_at: call.answeredAt ?? null,
    ended_at: call.endedAt ?? null,
    duration_seconds: callDurationSeconds(call) ?? null,
    outcome: outcomeNameOf(call.outcome),
    recording_url: call.recordingUrl ?? null,
  };
}
