import { DomainError, type NewCall, type NewHistoricCall, type PrincipalAccount } from "@calltrack/domain";
import type { Call } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { type BatchLimits, createBatcher } from "@calltrack/postgres";
import type { ResolvedAccount } from "../../access/account-directory.js";
import type { CreationResult } from "../../database/idempotency/create-each-resource-once.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { type BatchRecordResult, createFromValidRecords } from "../batches/batch-results.js";
import {
  type CallWithCallerKey,
  type CallWithNumberHolder,
  insertCalls,
  insertCallsOfAccount,
  insertHistoricCalls,
  type ReportedCallDetails,
} from "./call-insertion.js";
import type { CallerHasher } from "./caller-hasher.js";
import { findNumberHolders, type NumberHolder, type NumberHolderQuery } from "./number-holders.js";

/**
 * Two concurrent batches: the server prepares one while the other waits for the disk. Each recorder has its own batches, so that a flood of
 * CreateCall requests does not delay the calls that phone systems report.
 */
const BATCH: BatchLimits = { concurrency: 2, size: 64 };

export type CallRecorder = ReturnType<typeof createCallRecorder>;

/**
 * The recorder records each call for the account that held the tracking number when the call started.
 *
 * @param keepsNumbers whether callers' numbers are stored in addition to their keys.
 */
export function createCallRecorder(database: DatabaseAccess, keyOf: CallerHasher, keepsNumbers: boolean) {
  const { db } = database;
  const insert = createBatcher((calls: readonly CallWithCallerKey[]) => insertCalls(db, calls), BATCH);
  const insertHeld = createBatcher(
    (calls: readonly CallWithNumberHolder[]) => insertCallsOfAccount(db, calls),
    BATCH,
    ({ holder }) => holder.accountId,
  );
  const findHolder = createBatcher(findHolders, BATCH);

  function findHolders(wanted: readonly NumberHolderQuery[]) {
    return findNumberHolders(db, wanted, "started_at");
  }

  async function keyed(call: NewCall, own: PrincipalAccount | undefined): Promise<CallWithCallerKey> {
    const { callerNumber } = call;
    const callerKey = callerNumber === undefined ? null : await keyOf(callerNumber);
    return { call: storable(call), callerKey, own };
  }

  function storable(call: NewCall): NewCall {
    return keepsNumbers ? call : { ...call, callerNumber: undefined };
  }

  /** Records one call, in a batch with concurrent calls. */
  async function recordOne(given: CallWithCallerKey, holder: NumberHolder | undefined): Promise<CreationResult<Call>> {
    const isFound = holder !== undefined || database.isDistributed;
    const result = (isFound ? undefined : await insert(given)) ?? (await recordHeld(given, holder));
    if (result instanceof DomainError) throw result;
    return result;
  }

  async function recordHeld(
    given: CallWithCallerKey,
    known: NumberHolder | undefined,
  ): Promise<BatchRecordResult<Call>> {
    const holder = known ?? (await findHolder(holderQueryOf(given)));
    return holder instanceof DomainError ? holder : insertHeld({ ...given, holder });
  }

  async function insertByAccount(calls: readonly CallWithNumberHolder[]): Promise<readonly BatchRecordResult<Call>[]> {
    const results = new Map<CallWithNumberHolder, BatchRecordResult<Call>>();
    for (const ofAccount of Map.groupBy(calls, ({ holder }) => holder.accountId).values()) {
      const recorded = await insertCallsOfAccount(db, ofAccount);
      for (const [index, each] of ofAccount.entries()) results.set(each, recorded[index] as BatchRecordResult<Call>);
    }
    return calls.map((each) => results.get(each) as BatchRecordResult<Call>);
  }

  return {
    /**
     * @param own the account that the principal is bound to; undefined if the principal may access all accounts.
     * @throws DomainError `FIELD_INVALID`, `TRACKING_NUMBER_NOT_FOUND` or `CALL_ALREADY_EXISTS`
     */
    async record(call: NewCall, own: PrincipalAccount | undefined): Promise<CreationResult<Call>> {
      return recordOne(await keyed(call, own), undefined);
    },

    /** Returns the holder of a number at a moment, or an error if no call tracker had held the number by that moment. */
    findHolder(trackingNumber: string, at: Date): Promise<NumberHolder | DomainError> {
      return findHolder({ trackingNumber, at, own: undefined });
    },

    /**
     * Records a call that a phone system reported by webhooks. Returns the existing call if it is recorded already.
     *
     * @param callerKey see `CallerHasher`; undefined for a caller without a number.
     * @param holder the holder of the number when the call started.
     */
    recordReported(
      call: NewCall,
      callerKey: string | undefined,
      report: ReportedCallDetails,
      holder: NumberHolder,
    ): Promise<CreationResult<Call>> {
      return recordOne({ call: storable(call), callerKey: callerKey ?? null, own: undefined, report }, holder);
    },

    /** Records calls, with one statement for each account. */
    async recordAll(
      calls: readonly NewCall[],
      own: PrincipalAccount | undefined,
    ): Promise<readonly BatchRecordResult<Call>[]> {
      const given = await Promise.all(calls.map((call) => keyed(call, own)));
      const holders = await findHolders(given.map(holderQueryOf));
      const held = holders.map((holder, index) =>
        holder instanceof DomainError ? holder : { ...(given[index] as CallWithCallerKey), holder },
      );
      return createFromValidRecords(held, insertByAccount);
    },

    /** Records past calls of an account. Each call must have started before a call tracker of the account first held the called number. */
    async recordHistory(
      { accountId, accountToken }: ResolvedAccount,
      calls: readonly NewHistoricCall[],
    ): Promise<readonly BatchRecordResult<Call>[]> {
      const own = { id: accountId, token: accountToken };
      const given = await Promise.all(calls.map(async (call) => ({ ...(await keyed(call, own)), history: call })));
      const holders = await findHolders(given.map(holderQueryOf));
      const past = holders.map((holder, index) =>
        holder instanceof DomainError
          ? (given[index] as CallWithCallerKey)
          : new DomainError("FIELD_INVALID", { violations: [TRACKED_THEN] }),
      );
      return createFromValidRecords(past, (valid) => insertHistoricCalls(db, accountId, valid));
    },
  };
}

const TRACKED_THEN = {
  field: "started_at",
  description:
    "must be before tracking_number was first in a pool of the account: record later calls with CreateCall or BatchCreateCalls, which determine their source",
};

/** A call without a given start belongs to the last holder, even if the clock was set back after the holder got the number. */
function holderQueryOf({
  call: { trackingNumber, startedAt, isStartSent },
  own,
}: CallWithCallerKey): NumberHolderQuery {
  return { trackingNumber, at: isStartSent ? startedAt : undefined, own };
}
