import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type PlannedChange, type PoolChange, planPool } from "@calltrack/domain";
import {
  type CallTrackerChange,
  CallTrackerChangeSchema,
  type PoolPlan,
  PoolPlanSchema,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { AccountDirectory } from "../accounts/account-directory.js";
import { trackersStatement } from "../call-trackers/pass-statements.js";
import { type PassTools, readPassInput } from "../call-trackers/pool-pass.js";
import type { Executor } from "../storage/prepared-statement.js";
import { requirePassedPool } from "./passed-pool.js";
import { changeKindOf } from "./pool-history.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * What a change of a pool would do to its call trackers until a day after the timelines that begin now have ended, with visits
 * that stay as they are. Changes nothing.
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
  const trackers = await trackersStatement(db, pool);
  const { areaCode = pool.area_code, size = pool.size, utilization } = change;
  // Numbers come and go while the plan looks ahead: as many as there could be need of.
  const numbersOf = (code: string, most: number) => carrier.preview(db, code, most + trackers.length);
  const input = await readPassInput(db, rules, pool, trackers, await numbersOf(pool.area_code, pool.size));
  const horizonMs = rules.timelineMs + DAY_MS;
  const plan = planPool(
    input,
    { size, utilization, inventory: await numbersOf(areaCode, size), keepsAreaCode: areaCode === pool.area_code },
    horizonMs,
  );
  const ids = new Map(trackers.map((row) => [row.tracking_number, row.id]));
  return create(PoolPlanSchema, {
    changes: plan.changes.map((planned) => messageOf(planned, ids)),
    unservedSources: plan.unserved.length,
    missingNumbers: plan.missing,
    plannedUntil: timestampFromDate(new Date(pool.now.getTime() + horizonMs)),
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
