import { type CallTrackerReference, type CallTrackerUpdate, DomainError, parseUuid } from "@calltrack/domain";
import type { CallTracker } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import type { Executor } from "@calltrack/postgres";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { formatEtag } from "../../database/etag.js";
import type { EtagCondition } from "../../database/etag-condition.js";
import { createPagedListById, NIL_UUID, type PageBounds } from "../../database/page.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { toTimestamp } from "../../database/timestamp.js";
import { CALL_TRACKER_STATUSES } from "../../pool-management/call-tracker-status.js";
import {
  type CallTrackerKey,
  type CallTrackerRow,
  findCallTrackerStatement,
  flagCallTrackerStatement,
  listCallTrackersStatement,
  type PoolWithCallTrackerRow,
  updateCallTrackerStatement,
} from "./call-tracker-statements.js";

export const CALL_TRACKER_PAGED_LIST = createPagedListById<CallTracker>("call_trackers");

/** Looked up instead of an id that is not a UUID: no row has this id. */
const NO_ID = NIL_UUID;

/** Finds a call tracker by its id. Throws DomainError `POOL_NOT_FOUND` or `CALL_TRACKER_NOT_FOUND`. */
export async function requireCallTracker(
  db: Executor,
  account: ResolvedAccount,
  name: CallTrackerReference,
): Promise<CallTracker> {
  const [row] = await findCallTrackerStatement(db, callTrackerParametersOf(account, name));
  if (row === undefined) throw new DomainError("POOL_NOT_FOUND", { poolId: name.poolId });
  if (isCallTracker(row)) return callTrackerOf(row);
  throw new DomainError("CALL_TRACKER_NOT_FOUND", { callTrackerId: name.callTrackerId });
}

export async function findCallTracker(
  db: Executor,
  { accountId }: ResolvedAccount,
  pool: string,
  id: string,
): Promise<CallTracker | undefined> {
  const [row] = await findCallTrackerStatement(db, { accountId, pool, id });
  return row !== undefined && isCallTracker(row) ? callTrackerOf(row) : undefined;
}

/** Lists the call trackers of a pool in the order of their creation, after the one with the id `after`. Throws DomainError `POOL_NOT_FOUND`. */
export async function listCallTrackers(
  db: Executor,
  { accountId }: ResolvedAccount,
  poolId: string,
  { after = NIL_UUID, limit }: PageBounds,
): Promise<CallTracker[]> {
  const rows = await listCallTrackersStatement(db, { accountId, pool: parseUuid(poolId) ?? NO_ID, after, limit });
  if (rows[0] === undefined) throw new DomainError("POOL_NOT_FOUND", { poolId });
  return rows.filter(isCallTracker).map(callTrackerOf);
}

/**
 * Updates a call tracker in a manual pool of an active account. Activates it if it is available, or if it is flagged and `unflags` is
 * true. Sets the description if one is given.
 *
 * @returns undefined if there is no such call tracker, or if the etag condition fails.
 * @throws DomainError `CALL_TRACKER_RETIRING` if the update would activate a call tracker whose number is being retired
 */
export async function updateCallTracker(
  db: Executor,
  account: ResolvedAccount,
  { unflags, description, ...name }: CallTrackerUpdate,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<CallTracker | undefined> {
  const [row] = await updateCallTrackerStatement(db, {
    ...callTrackerParametersOf(account, name),
    unflags,
    description: description ?? null,
    ...condition,
    origin: JSON.stringify(origin),
  });
  if (row?.is_refused) throw new DomainError("CALL_TRACKER_RETIRING", { callTrackerId: name.callTrackerId });
  return row && callTrackerOf(row);
}

/**
 * Flags an active call tracker in a manual pool of an active account, and schedules a pass for the end of the call tracker's grace period.
 *
 * @returns undefined if there is no such call tracker, or if the etag condition fails.
 */
export async function flagCallTracker(
  db: Executor,
  account: ResolvedAccount,
  name: CallTrackerReference,
  gracePeriodMs: number,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<CallTracker | undefined> {
  const [row] = await flagCallTrackerStatement(db, {
    ...callTrackerParametersOf(account, name),
    gracePeriodMs,
    ...condition,
    origin: JSON.stringify(origin),
  });
  return row && callTrackerOf(row);
}

function isCallTracker(row: PoolWithCallTrackerRow): row is CallTrackerRow {
  return row.id !== null;
}

function callTrackerParametersOf(
  { accountId }: ResolvedAccount,
  { poolId, callTrackerId }: CallTrackerReference,
): CallTrackerKey {
  return { accountId, pool: parseUuid(poolId) ?? NO_ID, id: parseUuid(callTrackerId) ?? NO_ID };
}

function callTrackerOf(row: CallTrackerRow): CallTracker {
  return {
    $typeName: "calltracking.v1.CallTracker",
    id: row.id,
    originalNumber: row.original_number,
    originalNumberId: row.original_number_id,
    description: row.description ?? undefined,
    trackingNumber: row.tracking_number,
    poolId: row.pool_id,
    status: CALL_TRACKER_STATUSES[row.status],
    source: row.source ?? undefined,
    medium: row.medium ?? undefined,
    createdAt: toTimestamp(row.created_at),
    droppedAt: row.dropped_at === null ? undefined : toTimestamp(row.dropped_at),
    updatedAt: toTimestamp(row.updated_at),
    etag: formatEtag(row.updated_at),
  };
}
