import type { CallTrackerReference, CallTrackerUpdate } from "@calltrack/domain";
import { parseUuid } from "@calltrack/domain";
import type { CallTracker } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import type { Executor } from "@calltrack/postgres";
import type { NamedAccount } from "../../access/account-directory.js";
import { etagOf } from "../../database/etag.js";
import type { EtagCondition } from "../../database/etag-condition.js";
import { BEFORE_ALL_IDS, type PageBounds } from "../../database/page.js";
import type { ChangeOrigin } from "../../database/tables/audit-table.js";
import { timestampOf } from "../../database/timestamp.js";
import { statusOf } from "../../pool-management/call-tracker-status.js";
import {
  type CallTrackerRow,
  findStatement,
  flagStatement,
  type JoinedRow,
  listStatement,
  type NameParameters,
  poolStateStatement,
  updateStatement,
} from "./call-tracker-statements.js";

/** What nothing has, in place of an id that is no UUID. */
const NO_ID = BEFORE_ALL_IDS;

/** The call tracker of a pool by its id, or which of the two there is not. */
export async function findCallTracker(
  db: Executor,
  account: NamedAccount,
  name: CallTrackerReference,
): Promise<CallTracker | "no pool" | "no call tracker"> {
  const [row] = await findStatement(db, nameParametersOf(account, name));
  if (row === undefined) return "no pool";
  return isCallTracker(row) ? callTrackerOf(row) : "no call tracker";
}

/**
 * Call trackers of a pool in the order of their creation, and the pool's id as their owner; `after` is an id.
 *
 * @returns undefined if the account has no such pool.
 */
export async function listCallTrackers(
  db: Executor,
  { accountId }: NamedAccount,
  poolId: string,
  { after, limit }: PageBounds,
): Promise<{ readonly owner: string; readonly entries: CallTracker[] } | undefined> {
  const pool = parseUuid(poolId) ?? NO_ID;
  const rows = await listStatement(db, { accountId, pool, after: after ?? BEFORE_ALL_IDS, limit });
  return rows[0] && { owner: rows[0].pool_id, entries: rows.filter(isCallTracker).map(callTrackerOf) };
}

/**
 * Updates a call tracker of a manual pool of an active account: an available one becomes active, and a flagged one does if that is
 * asked for. Sets its description unless that is undefined.
 *
 * @returns undefined if there is no such call tracker or pool, or if it does not fulfil the condition; `"retiring"` if it would
 *   become active and its number is being retired.
 */
export async function updateCallTracker(
  db: Executor,
  account: NamedAccount,
  { unflags, description, ...name }: CallTrackerUpdate,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<CallTracker | "retiring" | undefined> {
  const [row] = await updateStatement(db, {
    ...nameParametersOf(account, name),
    unflags,
    description: description ?? null,
    ...condition,
    origin: JSON.stringify(origin),
  });
  if (row?.is_refused) return "retiring";
  return row && callTrackerOf(row);
}

/**
 * Flags an active call tracker of a manual pool of an active account, and sees to it that the pool is managed when its timeline
 * ends.
 *
 * @returns undefined if there is no such call tracker or pool, or if it does not fulfil the condition.
 */
export async function flagCallTracker(
  db: Executor,
  account: NamedAccount,
  name: CallTrackerReference,
  timelineMs: number,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<CallTracker | undefined> {
  const [row] = await flagStatement(db, {
    ...nameParametersOf(account, name),
    timelineMs,
    ...condition,
    origin: JSON.stringify(origin),
  });
  return row && callTrackerOf(row);
}

/** Whether the account is active and what type the pool has, or undefined if the account has no such pool. */
export async function findPoolState(
  db: Executor,
  { accountId }: NamedAccount,
  poolId: string,
): Promise<{ readonly is_active: boolean; readonly pool_type: "manual" | "automanaged" } | undefined> {
  const [row] = await poolStateStatement(db, { accountId, pool: parseUuid(poolId) ?? NO_ID });
  return row;
}

function isCallTracker(row: JoinedRow): row is CallTrackerRow {
  return row.id !== null;
}

function nameParametersOf(
  { accountId }: NamedAccount,
  { poolId, callTrackerId }: CallTrackerReference,
): NameParameters {
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
    status: statusOf(row.status),
    source: row.source ?? undefined,
    medium: row.medium ?? undefined,
    createdAt: timestampOf(row.created_at),
    droppedAt: row.dropped_at === null ? undefined : timestampOf(row.dropped_at),
    updatedAt: timestampOf(row.updated_at),
    etag: etagOf(row.updated_at),
  };
}
