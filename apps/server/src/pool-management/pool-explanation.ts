import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { countNeededNumbers, type PoolExplanation as Explanation, explainPoolState } from "@calltrack/domain";
import {
  type PoolExplanation,
  PoolExplanationSchema,
  type RetiringCallTracker,
  RetiringCallTrackerSchema,
  type SourceExplanation,
  SourceExplanationSchema,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Executor } from "@calltrack/postgres";
import type { ResolvedAccount } from "../access/account-directory.js";
import { CALL_TRACKER_STATUSES } from "./call-tracker-status.js";
import type { PassTrackerRow } from "./pass-statements.js";
import type { PassDependencies } from "./pool-pass.js";
import { readPoolSnapshot, requirePoolWithLastPass } from "./pool-snapshot.js";
import { listPoolWarnings } from "./pool-warnings.js";
import { findOverridingPoolStatement } from "./preceding-pool.js";
import { runInTimeSlices } from "./run-in-time-slices.js";
import { countUnattributedVisitsStatement } from "./source-repository.js";

/**
 * Explains the current state of a pool: served and unserved sources, capacity and warnings.
 *
 * @throws DomainError `POOL_NOT_FOUND`
 */
export async function readPoolExplanation(
  db: Executor,
  { carrier, rules }: PassDependencies,
  account: ResolvedAccount,
  poolId: string,
): Promise<PoolExplanation> {
  const pool = await requirePoolWithLastPass(db, account, poolId);
  const { state, rows } = await readPoolSnapshot(db, rules, pool);
  const numbers = await carrier.preview(db, pool.area_code, countNeededNumbers(state.pool, state.trackers));
  const inventory = numbers
    .filter(({ freeFrom }) => freeFrom === undefined)
    .map(({ trackingNumber }) => trackingNumber);
  const explanation = await runInTimeSlices(explainPoolState({ ...state, inventory }));
  const [unattributed] = await countUnattributedVisitsStatement(db, {
    accountId: pool.account_id,
    propertyToken: pool.property_token ?? "",
    windowDays: rules.visitWindowDays,
  });
  // A query with `sum` and without `group by` returns one row.
  const unattributedVisits = unattributed?.visits ?? 0;
  const { account_id, pool_id, is_dni, property_token } = pool;
  const [preceding] =
    is_dni && property_token !== null
      ? await findOverridingPoolStatement(db, { account_id, pool_id, property_token })
      : [];
  const count = (status: PassTrackerRow["status"]) => rows.filter((row) => row.status === status).length;
  const { isFrozen } = state.pool;
  return create(PoolExplanationSchema, {
    sources: sourceMessages(explanation, rows),
    sourceCount: state.sources.length,
    servesAtMost: explanation.maxServedSources,
    visitsNeeded: explanation.cutOff === undefined ? undefined : BigInt(explanation.cutOff),
    windowDays: rules.visitWindowDays,
    unservedSources: explanation.unserved.length,
    missingNumbers: explanation.missing,
    nextFreeAt: explanation.nextFreeAt && timestampFromDate(explanation.nextFreeAt),
    advisedSize: explanation.advisedSize,
    warnings: listPoolWarnings(explanation, pool, rows, unattributedVisits, preceding?.id),
    available: count("available"),
    active: count("active"),
    flagged: count("flagged"),
    lastPassAt: pool.passed_at === null ? undefined : timestampFromDate(pool.passed_at),
    nextPassAt: pool.due_at === null || isFrozen ? undefined : timestampFromDate(pool.due_at),
    failedPasses: pool.failures,
    lastFailure: pool.last_failure ?? undefined,
    unattributedVisits: BigInt(unattributedVisits),
    isFrozen,
    retiring: retiringMessages(explanation, rows),
  });
}

function sourceMessages({ sources }: Explanation, rows: readonly PassTrackerRow[]): SourceExplanation[] {
  const ids = idsOf(rows);
  return sources.map(({ source, medium, visits, rank, tracker, isServed, reason }) =>
    create(SourceExplanationSchema, {
      ...{ source, medium, visits: BigInt(visits), rank, isServed, reason },
      ...(tracker && {
        callTrackerId: ids.get(tracker.trackingNumber),
        trackingNumber: tracker.trackingNumber,
        status: CALL_TRACKER_STATUSES[tracker.status],
      }),
    }),
  );
}

function retiringMessages({ retiring }: Explanation, rows: readonly PassTrackerRow[]): RetiringCallTracker[] {
  const ids = idsOf(rows);
  return retiring.map(({ tracker, deletedAt, reason }) =>
    create(RetiringCallTrackerSchema, {
      callTrackerId: ids.get(tracker.trackingNumber) ?? "",
      trackingNumber: tracker.trackingNumber,
      status: CALL_TRACKER_STATUSES[tracker.status],
      source: tracker.source?.source,
      medium: tracker.source?.medium,
      immediately: tracker.retirement === "immediate",
      deletedAt: deletedAt && timestampFromDate(deletedAt),
      reason,
    }),
  );
}

function idsOf(rows: readonly PassTrackerRow[]): ReadonlyMap<string, string> {
  return new Map(rows.map((row) => [row.tracking_number, row.id]));
}
