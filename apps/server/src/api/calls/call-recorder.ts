import { DomainError, type NewCall, type PrincipalAccount } from "@calltrack/domain";
import type { Call } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { type BatchLimits, batchCalls } from "@calltrack/postgres";
import type { Creation } from "../../database/idempotency/create-each-once.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { type BatchResult, createValid } from "../batches/batch-results.js";
import {
  type HeldCall,
  insertCalls,
  insertCallsOfAccount,
  type KeyedCall,
  type ReportDetails,
} from "./call-insertion.js";
import type { CallerHasher } from "./caller-hasher.js";
import { findNumberHolders, type NumberHolder, type WantedHolder } from "./number-holders.js";

/**
 * Two concurrent batches: the server prepares one while the other waits for the disk. Each recorder has its own, so that a flood of
 * CreateCall does not delay the calls that phone systems report.
 */
const BATCH: BatchLimits = { concurrency: 2, calls: 64 };

/** Records calls. */
export type CallRecorder = ReturnType<typeof createCallRecorder>;

/**
 * Creates a recorder of calls. It records each for the account that held its tracking number when the call started.
 *
 * @param keepsNumbers whether callers' numbers are stored, not only their keys.
 */
export function createCallRecorder(database: DatabaseAccess, keyOf: CallerHasher, keepsNumbers: boolean) {
  const { db } = database;
  const insert = batchCalls((calls: readonly KeyedCall[]) => insertCalls(db, calls), BATCH);
  const insertHeld = batchCalls(
    (calls: readonly HeldCall[]) => insertCallsOfAccount(db, calls),
    BATCH,
    ({ holder }) => holder.accountId,
  );
  const findHolder = batchCalls(findHolders, BATCH);

  function findHolders(wanted: readonly WantedHolder[]) {
    return findNumberHolders(db, wanted, "started_at");
  }

  async function keyed(call: NewCall, own: PrincipalAccount | undefined): Promise<KeyedCall> {
    const { callerNumber } = call;
    const callerKey = callerNumber === undefined ? null : await keyOf(callerNumber);
    return { call: storable(call), callerKey, own };
  }

  function storable(call: NewCall): NewCall {
    return keepsNumbers ? call : { ...call, callerNumber: undefined };
  }

  /** Concurrent calls are recorded in batches. */
  async function recordOne(given: KeyedCall, lastHolder?: NumberHolder): Promise<Creation<Call>> {
    const inserted = database.isDistributed ? undefined : await insert(given);
    const result = inserted ?? (await recordHeld(given, lastHolder));
    if (result instanceof DomainError) throw result;
    return result;
  }

  async function recordHeld(given: KeyedCall, lastHolder?: NumberHolder): Promise<BatchResult<Call>> {
    const found = await findHolder(wantedHolderOf(given));
    const holder = found instanceof DomainError ? lastHolder : found;
    return holder === undefined ? (found as DomainError) : insertHeld({ ...given, holder });
  }

  async function insertByAccount(calls: readonly HeldCall[]): Promise<readonly BatchResult<Call>[]> {
    const results = new Map<HeldCall, BatchResult<Call>>();
    for (const ofAccount of Map.groupBy(calls, ({ holder }) => holder.accountId).values()) {
      const recorded = await insertCallsOfAccount(db, ofAccount);
      for (const [index, each] of ofAccount.entries()) results.set(each, recorded[index] as BatchResult<Call>);
    }
    return calls.map((each) => results.get(each) as BatchResult<Call>);
  }

  return {
    /**
     * Records one call.
     *
     * @param own the account that the caller is bound to; undefined if it reaches all accounts.
     * @throws DomainError `FIELD_INVALID`, `TRACKING_NUMBER_NOT_FOUND` or `CALL_ALREADY_EXISTS`
     */
    async record(call: NewCall, own: PrincipalAccount | undefined): Promise<Creation<Call>> {
      return recordOne(await keyed(call, own));
    },

    /** Returns the holder of a number at a moment, or the error if nobody had held the number until then. */
    findHolder(trackingNumber: string, at: Date): Promise<NumberHolder | DomainError> {
      return findHolder({ trackingNumber, at, own: undefined });
    },

    /**
     * Records a call that a phone system reported by webhooks. Returns the existing call if it is recorded already.
     *
     * @param callerKey see `CallerHasher`; undefined for a caller without a number.
     * @param lastHolder gets calls that, by a wrong clock, started before the number's first holder had it.
     */
    recordReported(
      call: NewCall,
      callerKey: string | undefined,
      report: ReportDetails,
      lastHolder: NumberHolder,
    ): Promise<Creation<Call>> {
      return recordOne({ call: storable(call), callerKey: callerKey ?? null, own: undefined, report }, lastHolder);
    },

    /** Records calls, with one statement for each account. */
    async recordAll(
      calls: readonly NewCall[],
      own: PrincipalAccount | undefined,
    ): Promise<readonly BatchResult<Call>[]> {
      const given = await Promise.all(calls.map((call) => keyed(call, own)));
      const holders = await findHolders(given.map(wantedHolderOf));
      const held = holders.map((holder, index) =>
        holder instanceof DomainError ? holder : { ...(given[index] as KeyedCall), holder },
      );
      return createValid(held, insertByAccount);
    },
  };
}

function wantedHolderOf({ call, own }: KeyedCall): WantedHolder {
  return { trackingNumber: call.trackingNumber, at: call.startedAt, own };
}
