import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { forecastPoolUpdate, type PlannedTrackerChange, type PoolState, type PoolUpdate } from "@calltrack/domain";
import {
  type CallTrackerChange,
  CallTrackerChangeSchema,
  type PoolPlan,
  PoolPlanSchema,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Executor } from "@calltrack/postgres";
import type { ResolvedAccount } from "../access/account-directory.js";
import { findNumberAreaCodesStatement } from "./number-supply.js";
import type { PassTrackerRow } from "./pass-statements.js";
import { CALL_TRACKER_CHANGE_KINDS } from "./pool-history.js";
import type { PassDependencies } from "./pool-pass.js";
import { readPoolSnapshot, requirePoolWithLastPass } from "./pool-snapshot.js";
import { runInTimeSlices } from "./run-in-time-slices.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Simulates the effect of an update on a pool's call trackers. The plan ends one day after the end of the grace periods that begin with the update.
 * It assumes that visits stay constant and that no other pool takes numbers. The pool does not change.
 *
 * @throws DomainError `POOL_NOT_FOUND`
 */
export async function planPoolUpdate(
  db: Executor,
  account: ResolvedAccount,
  { carrier, rules }: PassDependencies,
  change: PoolUpdate,
): Promise<PoolPlan> {
  const pool = await requirePoolWithLastPass(db, account, change.poolId);
  const { state, rows } = await readPoolSnapshot(db, rules, pool);
  const { areaCode = pool.area_code, size = pool.size, utilization } = change;
  // The simulation can take a released number again, so it needs at most this many numbers.
  const maxNumbers = Math.max(size, pool.size) + rows.length;
  const areaOf = async (code: string) => ({ areaCode: code, supply: await carrier.preview(db, code, maxNumbers) });
  const numbers = rows.map((row) => row.tracking_number);
  const before: PoolState = {
    ...state,
    ...(await areaOf(pool.area_code)),
    trackerAreaCodes: new Map(
      (await findNumberAreaCodesStatement(db, { numbers })).map((row) => [row.phone_number, row.area_code]),
    ),
    numberRestMs: rules.numberRestMs,
  };
  const area = areaCode === pool.area_code ? undefined : await areaOf(areaCode);
  const until = new Date(pool.now.getTime() + rules.gracePeriodMs + DAY_MS);
  const plan = await runInTimeSlices(forecastPoolUpdate(before, { size, utilization, area }, until));
  return create(PoolPlanSchema, {
    changes: changeMessages(plan.changes, rows),
    unservedSources: plan.unserved.length,
    missingNumbers: plan.missing,
    plannedUntil: timestampFromDate(until),
    isFrozen: state.pool.isFrozen,
  });
}

function changeMessages(
  changes: readonly PlannedTrackerChange[],
  rows: readonly PassTrackerRow[],
): CallTrackerChange[] {
  const ids = new Map(rows.map((row) => [row.tracking_number, row.id]));
  return changes.map((planned) => {
    // A number that is added again belongs to a new call tracker, which has no id yet.
    if (planned.kind === "added") ids.delete(planned.trackingNumber);
    return create(CallTrackerChangeSchema, {
      occurredAt: timestampFromDate(planned.at),
      kind: CALL_TRACKER_CHANGE_KINDS[planned.kind],
      callTrackerId: ids.get(planned.trackingNumber),
      trackingNumber: planned.trackingNumber,
      source: planned.source?.source,
      medium: planned.source?.medium,
      reason: planned.reason,
      happensAnyway: planned.happensAnyway,
    });
  });
}
