import type { Visitor } from "@calltrack/domain";
import type { CallResolution, ResolvedNumber } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import type { Executor } from "../storage/prepared-statement.js";
import { timestampOf } from "../storage/timestamp.js";
import {
  type CallRow,
  type ResolvedNumberRow,
  resolveCallStatement,
  resolveNumbersStatement,
} from "./dni-statements.js";

/** The numbers to show to a visitor of a property, in the order of the pools' creation. */
export async function resolveNumbers(
  db: Executor,
  { propertyToken, source, medium }: Visitor,
): Promise<ResolvedNumber[]> {
  const rows = await resolveNumbersStatement(db, { propertyToken, source: source ?? null, medium: medium ?? null });
  return rows.map(resolvedNumberOf);
}

/** Where a call to a number goes; undefined if no call tracker has or had the number. */
export async function resolveCall(db: Executor, trackingNumber: string): Promise<CallResolution | undefined> {
  const [row] = await resolveCallStatement(db, { trackingNumber });
  return row && callResolutionOf(row);
}

function resolvedNumberOf(row: ResolvedNumberRow): ResolvedNumber {
  return {
    $typeName: "calltracking.v1.ResolvedNumber",
    poolId: row.pool_id,
    originalNumber: row.original_number,
    number: row.number,
  };
}

function callResolutionOf(row: CallRow): CallResolution {
  return {
    $typeName: "calltracking.v1.CallResolution",
    trackingNumber: row.tracking_number,
    originalNumber: row.original_number,
    accountToken: row.account_token,
    poolId: row.pool_id,
    callTrackerId: row.call_tracker_id,
    source: row.source ?? undefined,
    medium: row.medium ?? undefined,
    isPrompted: row.is_prompted,
    isRecorded: row.is_recorded,
    heldUntil: row.held_until === null ? undefined : timestampOf(row.held_until),
  };
}
