import { type CallerAccount, DomainError, type Visitor } from "@calltrack/domain";
import type { CallResolution, ResolvedNumber } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import type { Executor } from "@calltrack/postgres";
import { timestampOf } from "../../database/timestamp.js";
import { checkHolder } from "../calls/call-recorder.js";
import { findNumberHolders } from "../calls/number-holders.js";
import {
  type CallRow,
  findHolderStatement,
  type HolderRow,
  type ResolvedNumberRow,
  resolveCallAtStatement,
  resolveCallStatement,
  resolveNumbersStatement,
} from "./dni-statements.js";

/** Returns the numbers to show to a visitor of a property, in the order of the pools' creation. */
export async function resolveNumbers(
  db: Executor,
  { propertyToken, source, medium }: Visitor,
): Promise<ResolvedNumber[]> {
  // No source has an empty name, so the empty string matches none.
  const rows = await resolveNumbersStatement(db, { propertyToken, source: source ?? "", medium: medium ?? "" });
  return rows.map(resolvedNumberOf);
}

/**
 * Returns the destination and source of a call to a tracking number. Returns undefined if no call tracker ever held
 * the number.
 */
export async function resolveCall(db: Executor, trackingNumber: string): Promise<CallResolution | undefined> {
  const [holder] = await findHolderStatement(db, { trackingNumber });
  if (holder === undefined) return undefined;
  const { account_id: accountId, pool_id: pool, call_tracker_id: callTracker } = holder;
  const [row] = await resolveCallStatement(db, { accountId, pool, callTracker });
  return row && callResolutionOf(trackingNumber, holder, row);
}

/**
 * Returns where a call that started at a moment was routed, and its source.
 *
 * @param own the account that the caller is bound to; undefined if it reaches all accounts.
 * @throws DomainError `TRACKING_NUMBER_NOT_FOUND`, or `FIELD_INVALID` if the number had no holder yet
 */
export async function resolveCallAt(
  db: Executor,
  trackingNumber: string,
  at: Date,
  own: CallerAccount | undefined,
): Promise<CallResolution> {
  const [found] = await findNumberHolders(db, [{ trackingNumber, at }]);
  const holder = checkHolder(found ?? { accountId: undefined, firstHolder: undefined }, trackingNumber, "at", own);
  if (holder instanceof DomainError) throw holder;
  const { accountId, poolId: pool, callTrackerId: callTracker } = holder;
  const [row] = await resolveCallAtStatement(db, { accountId, pool, callTracker, at: at.toISOString() });
  if (row === undefined) throw new DomainError("TRACKING_NUMBER_NOT_FOUND", { trackingNumber });
  return callResolutionOf(trackingNumber, { pool_id: pool, call_tracker_id: callTracker, returned_at: null }, row);
}

function resolvedNumberOf(row: ResolvedNumberRow): ResolvedNumber {
  return {
    $typeName: "calltracking.v1.ResolvedNumber",
    poolId: row.pool_id,
    originalNumber: row.original_number,
    number: row.number,
  };
}

function callResolutionOf(trackingNumber: string, holder: Omit<HolderRow, "account_id">, row: CallRow): CallResolution {
  const heldUntil = row.held_until ?? holder.returned_at;
  return {
    $typeName: "calltracking.v1.CallResolution",
    trackingNumber,
    originalNumber: row.original_number,
    accountToken: row.account_token,
    poolId: holder.pool_id,
    callTrackerId: holder.call_tracker_id,
    source: row.source ?? undefined,
    medium: row.medium ?? undefined,
    isPrompted: row.is_prompted,
    isRecorded: row.is_recorded,
    heldUntil: heldUntil === null ? undefined : timestampOf(heldUntil),
  };
}
