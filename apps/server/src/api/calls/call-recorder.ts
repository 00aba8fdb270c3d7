import { DomainError, type NewCall, type NewHistoricCall, type PrincipalAccount } from "@calltrack/domain";
import type { Call } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { type BatchLimits, createBatcher } from "@calltrack/postgres";
import type { ResolvedAccount } from "../../access/account-directory.js";
import type { Creation } from "../../database/idempotency/create-each-once.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { type BatchResult, createValid } from "../batches/batch-results.js";
import {
  type HeldCall,
  insertCalls,
  insertCallsOfAccount,
  insertHistory,
  type KeyedCall,
  type ReportDetails,
} from "./call-insertion.js";
import type { CallerHasher } from "./caller-hasher.js";
import { findNumberHolders, type NumberHolder, type WantedHolder } from "./number-holders.js";

/**
 * Two concurrent batches: the server prepares one while the other waits for the disk. Each recorder has its own, so that a flood of
 * CreateCall does not delay the calls that phone systems report.
 */
const BATCH: BatchLimits = { concurrency: 2, size: 64 };

/** Records calls. */
export type CallRecorder = ReturnType<typeof createCallRecorder>;

/**
 * Creates a recorder of calls. It records each for the account that held its tracking number when the call started.
 *
 * @param keepsNumbers whether callers' numbers are stored, not only their keys.
 */
export function createCallRecorder(database: DatabaseAccess, keyOf: CallerHasher, keepsNumbers: boolean) {
  const { db } = database;
  const insert = createBatcher((calls: readonly KeyedCall[]) => insertCalls(db, calls), BATCH);
  const insertHeld = createBatcher(
    (calls: readonly HeldCall[]) => insertCallsOfAccount(db, calls),
    BATCH,
    ({ holder }) => holder.accountId,
  );
  const findHolder = createBatcher(findHolders, BATCH);

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
  async function recordOne(given: KeyedCall, holder: NumberHolder | undefined): Promise<Creation<Call>> {
    const isFound = holder !== undefined || database.isDistributed;
    const result = (isFound ? undefined : await insert(given)) ?? (await recordHeld(given, holder));
    if (result instanceof DomainError) throw result;
    return result;
  }

  async function recordHeld(given: KeyedCall, known: NumberHolder | undefined): Promise<BatchResult<Call>> {
    const holder = known ?? (await findHolder(wantedHolderOf(given)));
    return holder instanceof DomainError ? holder : insertHeld({ ...given, holder });
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
      return recordOne(await keyed(call, own), undefined);
    },

    /** Returns the holder of a number at a moment, or the error if nobody had held the number until then. */
    findHolder(trackingNumber: string, at: Date): Promise<NumberHolder | DomainError> {
      return findHolder({ trackingNumber, at, own: undefined });
    },

    /**
     * Records a call that a phone system reported by webhooks. Returns the existing call if it is recorded already.
     *
     * @param callerKey see `CallerHasher`; undefined for a caller without a number.
     * @param holder of the number. The phone system was told where its calls go.
     */
    recordReported(
      call: NewCall,
      callerKey: string | undefined,
      report: ReportDetails,
      holder: NumberHolder,
    ): Promise<Creation<Call>> {
      return recordOne({ call: storable(call), callerKey: callerKey ?? null, own: undefined, report }, holder);
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

    /** Records calls of an account from the time before a call tracker of the account had their numbers. */
    async recordHistory(
      { accountId, accountToken }: ResolvedAccount,
      calls: readonly NewHistoricCall[],
    ): Promise<readonly BatchResult<Call>[]> {
      const own = { id: accountId, token: accountToken };
      const given = await Promise.all(calls.map(async (call) => ({ ...(await keyed(call, own)), history: call })));
      const holders = await findHolders(given.map(wantedHolderOf));
      const past = holders.map((holder, index) =>
        holder instanceof DomainError
          ? (given[index] as KeyedCall)
          : new DomainError("FIELD_INVALID", { violations: [TRACKED_THEN] }),
      );
      return createValid(past, (valid) => insertHistory(db, accountId, valid));
    },
  };
}

const TRACKED_THEN = {
  field: "started_at",
  description:
    "must be before a call tracker of the account had tracking_number: record later calls with CreateCall or BatchCreateCalls, which find the source",
};

/** A call that starts now belongs to the last holder, also if the clock has been set back since that one got the number. */
function wantedHolderOf({ call: { trackingNumber, startedAt, isStartSent }, own }: KeyedCall): WantedHolder {
  return { trackingNumber, at: isStartSent ? startedAt : undefined, own };
}
