import { type CallerAccount, DomainError, type NewCall } from "@calltrack/domain";
import { type BatchLimits, batchCalls } from "@calltrack/postgres";
import type { DatabaseAccess } from "../../database/open-database.js";
import {
  type HeldCall,
  type InsertionResult,
  insertCalls,
  insertCallsOfAccount,
  type KeyedCall,
  type RecordedCall,
} from "./call-insertion.js";
import type { CallerHasher } from "./caller-hasher.js";
import { findNumberHolders, type NumberHolder, type UnheldNumber } from "./number-holders.js";

/** Records calls, each for the account that held its tracking number when the call started. */
export interface CallRecorder {
  /**
   * Records one call. Concurrent calls are recorded in batches.
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

/** Reports whether a result is the error of a rejected call. */
export function isRefused<T>(result: T | DomainError): result is DomainError {
  return result instanceof DomainError;
}

/** Two concurrent batches: the server prepares one while the other waits for the disk. */
const BATCH: BatchLimits = { concurrency: 2, calls: 64 };

/** Creates a recorder that stores callers' numbers by the given rules. */
export function createCallRecorder(database: DatabaseAccess, callers: CallerNumberRules): CallRecorder {
  const { db } = database;
  const insert = batchCalls((calls: Parameters<typeof insertCalls>[1]) => insertCalls(db, calls), BATCH);
  const insertHeld = batchCalls(
    (calls: readonly HeldCall[]) => insertCallsOfAccount(db, calls),
    BATCH,
    ({ holder }) => holder.accountId,
  );
  const findHolder = batchCalls((calls: readonly NewCall[]) => findHolders(calls), BATCH);

  function findHolders(calls: readonly NewCall[]) {
    return findNumberHolders(
      db,
      calls.map(({ trackingNumber, startedAt }) => ({ trackingNumber, at: startedAt })),
    );
  }

  async function keyed(call: NewCall): Promise<KeyedCall> {
    const { callerNumber } = call;
    const callerKey = callerNumber === undefined ? null : await callers.keyOf(callerNumber);
    return { call, callerKey, keepsNumber: callers.areKept };
  }

  async function recordHeld(given: KeyedCall, own: CallerAccount | undefined): Promise<InsertionResult> {
    const { call } = given;
    const holder = checkHolder(await findHolder(call), call.trackingNumber, "started_at", own);
    return holder instanceof DomainError ? holder : insertHeld({ ...given, holder });
  }

  return {
    async record(call, own) {
      const given = await keyed(call);
      const inserted = database.isDistributed ? undefined : await insert({ ...given, own });
      const result = inserted ?? (await recordHeld(given, own));
      if (result instanceof DomainError) throw result;
      return result;
    },

    async recordAll(calls, own) {
      const holders = await findHolders(calls);
      const checked = await Promise.all(
        calls.map(async (call, index): Promise<HeldCall | DomainError> => {
          const found = holders[index] as NumberHolder | UnheldNumber;
          const holder = checkHolder(found, call.trackingNumber, "started_at", own);
          return holder instanceof DomainError ? holder : { ...(await keyed(call)), holder };
        }),
      );
      const results = new Map<HeldCall, InsertionResult>();
      const accepted = checked.filter((each): each is HeldCall => !isRefused(each));
      for (const ofAccount of Map.groupBy(accepted, ({ holder }) => holder.accountId).values()) {
        const recorded = await insertCallsOfAccount(db, ofAccount);
        for (const [index, each] of ofAccount.entries()) results.set(each, recorded[index] as InsertionResult);
      }
      return checked.map((each) => (isRefused(each) ? each : (results.get(each) as InsertionResult)));
    },
  };
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
