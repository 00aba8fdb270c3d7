import { type CallerAccount, callDurationSeconds, DomainError, type NewCall } from "@calltrack/domain";
import type { Call } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { type BatchLimits, batchCalls, type Executor, isUniqueViolation } from "@calltrack/postgres";
import { type CallToInsert, createCallsStatement, type RecordedCallRow } from "./call-creation-statements.js";
import { callOf, outcomeNameOf } from "./call-row.js";
import type { CallerHasher } from "./caller-hasher.js";
import { findNumberHolders, type NumberHolder, type UnheldNumber } from "./number-holders.js";

/** The result of recording a call. */
export interface RecordedCall {
  readonly call: Call;
  /** Whether this request created the call; false if it existed. */
  readonly isNew: boolean;
}

/** Records calls, each for the account that held its tracking number when the call started. */
export interface CallRecorder {
  /**
   * Records one call. Concurrent calls of an account are recorded in one batch.
   *
   * @param own the account that the caller is bound to; undefined if it reaches all accounts.
   * @throws DomainError `FIELD_INVALID`, `TRACKING_NUMBER_NOT_FOUND` or `CALL_ALREADY_EXISTS`
   */
  record(call: NewCall, own: CallerAccount | undefined): Promise<RecordedCall>;
  /** Records calls, with one statement for each account. The result of a rejected call is its error. */
  recordAll(
    calls: readonly NewCall[],
    own: CallerAccount | undefined,
  ): Promise<readonly (RecordedCall | DomainError)[]>;
}

/** How callers' numbers are stored. */
export interface CallerNumberRules {
  readonly keyOf: CallerHasher;
  /** Whether the numbers are stored, not only their keys. */
  readonly areKept: boolean;
}

/** A call and the holder of its tracking number. */
interface OwnedCall {
  readonly holder: NumberHolder;
  readonly call: NewCall;
  readonly callerKey: string | null;
}

type Result = RecordedCall | DomainError;

/** Reports whether a result is the error of a rejected call. */
export function isRefused<T>(result: T | DomainError): result is DomainError {
  return result instanceof DomainError;
}

/** Two concurrent batches for each account: the server prepares one while the other waits for the disk. */
const CREATION_BATCH: BatchLimits = { concurrency: 2, calls: 64 };

/** Numbers are looked up across accounts, in one statement for concurrent calls. */
const LOOKUP_BATCH: BatchLimits = { concurrency: 2, calls: 64 };

/** Max retries after a conflict: transactions that insert the first call of the same caller, or the same call, conflict. */
const MAX_COLLISIONS = 20;

/** Creates a recorder that stores callers' numbers by the given rules. */
export function createCallRecorder(db: Executor, callers: CallerNumberRules): CallRecorder {
  const insert = batchCalls(
    (calls: readonly OwnedCall[]) => insertCalls(db, calls, callers.areKept),
    CREATION_BATCH,
    ({ holder }) => holder.accountId,
  );

  const findHolder = batchCalls(
    (wanted: Parameters<typeof findNumberHolders>[1]) => findNumberHolders(db, wanted),
    LOOKUP_BATCH,
  );

  async function own(
    call: NewCall,
    found: NumberHolder | UnheldNumber,
    account: CallerAccount | undefined,
  ): Promise<OwnedCall | DomainError> {
    const holder = checkHolder(found, call.trackingNumber, "started_at", account);
    if (holder instanceof DomainError) return holder;
    const { callerNumber } = call;
    return { holder, call, callerKey: callerNumber === undefined ? null : await callers.keyOf(callerNumber) };
  }

  return {
    async record(call, account) {
      const owned = await own(call, await findHolder(wantedOf(call)), account);
      const result = owned instanceof DomainError ? owned : await insert(owned);
      if (result instanceof DomainError) throw result;
      return result;
    },

    async recordAll(calls, account) {
      const holders = await findNumberHolders(db, calls.map(wantedOf));
      const owned = await Promise.all(
        calls.map((call, index) => own(call, holders[index] as NumberHolder | UnheldNumber, account)),
      );
      const results = new Map<OwnedCall, Result>();
      const accepted = owned.filter((each): each is OwnedCall => !isRefused(each));
      for (const ofAccount of Map.groupBy(accepted, ({ holder }) => holder.accountId).values()) {
        const recorded = await insertCalls(db, ofAccount, callers.areKept);
        for (const [index, each] of ofAccount.entries()) results.set(each, recorded[index] as Result);
      }
      return owned.map((each) => (isRefused(each) ? each : (results.get(each) as Result)));
    },
  };
}

function wantedOf({ trackingNumber, startedAt }: NewCall): Parameters<typeof findNumberHolders>[1][number] {
  return { trackingNumber, at: startedAt };
}

/**
 * Returns the holder of a number, or an error if it has none at the moment or belongs to another account.
 *
 * @param field the request field that names the moment.
 * @param own the account that the caller is bound to; undefined if it reaches all accounts.
 */
export function checkHolder(
  found: NumberHolder | UnheldNumber,
  trackingNumber: string,
  field: string,
  own: CallerAccount | undefined,
): NumberHolder | DomainError {
  const accountId = found.accountId ?? found.firstHolder?.accountId;
  if (accountId === undefined || (own !== undefined && own.id !== accountId)) {
    return new DomainError("TRACKING_NUMBER_NOT_FOUND", { trackingNumber });
  }
  if (found.accountId !== undefined) return found;
  const heldFrom = found.firstHolder?.heldFrom.toISOString();
  const description = `must not be before ${heldFrom}: no call tracker had the number until then`;
  return new DomainError("FIELD_INVALID", { violations: [{ field, description }] });
}

/** Records calls of one account. The result is an error if the call exists with other values. */
async function insertCalls(
  db: Executor,
  calls: readonly OwnedCall[],
  keepsNumbers: boolean,
): Promise<readonly Result[]> {
  const first = new Map<string, OwnedCall>();
  for (const owned of calls) if (!first.has(owned.call.callId)) first.set(owned.call.callId, owned);
  const rows = new Map<string, RecordedCallRow>();
  for (let round = 0; rows.size < first.size; round++) {
    if (round > MAX_COLLISIONS) throw new Error(`calls neither inserted nor found after ${MAX_COLLISIONS} retries`);
    // A missing call was inserted by another transaction while the statement ran.
    const missing = [...first].filter(([callId]) => !rows.has(callId)).map(([, owned]) => owned);
    for (const row of await runCreation(db, missing, keepsNumbers)) rows.set(row.call_id, row);
  }
  return calls.map((owned) => resultOf(owned, rows.get(owned.call.callId) as RecordedCallRow, first));
}

async function runCreation(
  db: Executor,
  calls: readonly OwnedCall[],
  keepsNumbers: boolean,
): Promise<readonly RecordedCallRow[]> {
  const accountId = calls[0]?.holder.accountId as number;
  const given = JSON.stringify(calls.map((owned, place) => callToInsertOf(owned, place, keepsNumbers)));
  for (let collisions = 0; ; collisions++) {
    try {
      return await createCallsStatement(db, { accountId, calls: given });
    } catch (error) {
      if (!isUniqueViolation(error, "calls_caller_has_one_first") || collisions >= MAX_COLLISIONS) throw error;
    }
  }
}

function resultOf(owned: OwnedCall, row: RecordedCallRow, first: ReadonlyMap<string, OwnedCall>): Result {
  if (!isRepeated(owned, row)) return new DomainError("CALL_ALREADY_EXISTS", { callId: row.call_id, id: row.id });
  return { call: callOf(row.account_token, row), isNew: row.is_new && first.get(row.call_id) === owned };
}

/** Reports whether a request repeats an existing call: its tracking number, caller and start are the same. */
function isRepeated({ call, callerKey }: OwnedCall, row: RecordedCallRow): boolean {
  const hasSameStart = call.isStartSent ? row.started_at.getTime() === call.startedAt.getTime() : true;
  return (
    row.tracking_number === call.trackingNumber &&
    row.caller_key === callerKey &&
    row.is_start_sent === call.isStartSent &&
    hasSameStart
  );
}

function callToInsertOf({ holder, call, callerKey }: OwnedCall, place: number, keepsNumbers: boolean): CallToInsert {
  return {
    place,
    call_id: call.callId,
    tracking_number: call.trackingNumber,
    caller_number: keepsNumbers ? (call.callerNumber ?? null) : null,
    caller_key: callerKey,
    started_at: call.startedAt,
    is_start_sent: call.isStartSent,
    answered_at: call.answeredAt ?? null,
    ended_at: call.endedAt ?? null,
    duration_seconds: callDurationSeconds(call) ?? null,
    outcome: outcomeNameOf(call.outcome),
    recording_url: call.recordingUrl ?? null,
    pool_id: holder.poolId,
    call_tracker_id: holder.callTrackerId,
  };
}
