import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type PlannedChange, type PoolChange, type PoolState, planPool } from "@calltrack/domain";
import {
  type CallTrackerChange,
  CallTrackerChangeSchema,
  type PoolPlan,
  PoolPlanSchema,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Executor } from "@calltrack/postgres";
import type { AccountDirectory } from "../access/account-directory.js";
import { findAreaCodes } from "./number-supply.js";
import type { PassTrackerRow } from "./pass-statements.js";
import { changeKindOf } from "./pool-history.js";
import type { PassTools } from "./pool-pass.js";
import { readPool, requirePassedPool } from "./pool-state.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * What a change of a pool would do to its call trackers until a day after the timelines that begin now have ended, with visits
 * that stay as they are and no other pool that takes numbers. Changes nothing.
 *
 * @throws DomainError `ACCOUNT_NOT_FOUND` or `POOL_NOT_FOUND`
 */
export async function planPoolUpdate(
  db: Executor,
  accounts: AccountDirectory,
  { carrier, rules }: PassTools,
  change: PoolChange,
): Promise<PoolPlan> {
  const pool = await requirePassedPool(db, await accounts.require(change.account), change.poolId);
  const { state, rows } = await readPool(db, rules, pool);
  const { areaCode = pool.area_code, size = pool.size, utilization } = change;
  // Numbers come and go while the plan looks ahead: as many as there could be need of.
  const most = Math.max(size, pool.size) + rows.length;
  const areaOf = async (code: string) => ({ areaCode: code, supply: await carrier.preview(db, code, most) });
  const numbers = rows.map((row) => row.tracking_number);
  const before: PoolState = {
    ...state,
    ...(await areaOf(pool.area_code)),
    trackerAreaCodes: await findAreaCodes(db, numbers),
    numberRestMs: rules.numberRestMs,
  };
  const area = areaCode === pool.area_code ? undefined : await areaOf(areaCode);
  const until = new Date(pool.now.getTime() + rules.timelineMs + DAY_MS);
  const plan = planPool(before, { size, utilization, area }, until);
  return create(PoolPlanSchema, {
    changes: changeMessages(plan.changes, rows),
    unservedSources: plan.unserved.length,
    missingNumbers: plan.missing,
    plannedUntil: timestampFromDate(until),
    isFrozen: state.pool.isFrozen,
  });
}

function changeMessages(changes: readonly PlannedChange[], rows: readonly PassTrackerRow[]): CallTrackerChange[] {
  const ids = new Map(rows.map((row) => [row.tracking_number, row.id]));
  return changes.map((planned) => {
    // A number that comes back does so as another call tracker.
    if (planned.kind === "added") ids.delete(planned.trackingNumber);
    return messageOf(planned, ids);
  });
}

function messageOf(planned: PlannedChange, ids: ReadonlyMap<string, string>): CallTrackerChange {
  return create(CallTrackerChangeSchema, {
    occurredAt: timestampFromDate(planned.at),
    kind: changeKindOf(planned.kind),
    callTrackerId: ids.get(planned.trackingNumber),
    trackingNumber: planned.trackingNumber,
    source: planned.source?.source,
    medium: planned.source?.medium,
    reason: planned.reason,
    happensAnyway: planned.happensAnyway,
  });
}
