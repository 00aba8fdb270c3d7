import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { counted, type PoolExplanation as Explanation, explainPool as explain } from "@calltrack/domain";
import {
  type PoolExplanation,
  PoolExplanationSchema,
  type SourceExplanation,
  SourceExplanationSchema,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { NamedAccount } from "../accounts/account-repository.js";
import { statusOf } from "../call-trackers/call-tracker-repository.js";
import { type PassTrackerRow, trackersStatement } from "../call-trackers/pass-statements.js";
import { type PassTools, readPassInput } from "../call-trackers/pool-pass.js";
import type { Executor } from "../storage/prepared-statement.js";
import { summariseSources } from "../traffic/visit-repository.js";
import { requirePassedPool } from "./passed-pool.js";

/** How many sources are shown that hold no call tracker. */
const MOST_OTHERS = 1000;

/**
 * What a pool does at the moment, and why.
 *
 * @throws DomainError `POOL_NOT_FOUND`
 */
export async function explainPool(
  db: Executor,
  { carrier, rules }: PassTools,
  account: NamedAccount,
  poolId: string,
): Promise<PoolExplanation> {
  const pool = await requirePassedPool(db, account, poolId);
  const rows = await trackersStatement(db, pool);
  const lacking = Math.max(0, pool.size - rows.length);
  const inventory = await carrier.preview(db, pool.area_code, lacking);
  const input = await readPassInput(db, rules, pool, rows, inventory);
  const explanation = explain(input);
  const { unattributed } = await summariseSources(db, {
    accountId: pool.account_id,
    propertyToken: pool.property_token ?? "",
    windowDays: rules.visitWindowDays,
  });
  const count = (status: PassTrackerRow["status"]) => rows.filter((row) => row.status === status).length;
  return create(PoolExplanationSchema, {
    sources: sourceMessages(explanation, rows),
    sourceCount: input.sources.length,
    servesAtMost: explanation.servedAtMost,
    visitsNeeded: explanation.cutOff === undefined ? undefined : BigInt(explanation.cutOff),
    windowDays: rules.visitWindowDays,
    unservedSources: explanation.unserved.length,
    missingNumbers: explanation.missing,
    nextFreeAt: explanation.nextFreeAt && timestampFromDate(explanation.nextFreeAt),
    advisedSize: explanation.advisedSize,
    warnings: warningsOf(explanation, pool, rows.length, unattributed),
    available: count("available"),
    active: count("active"),
    flagged: count("flagged"),
    lastPassAt: pool.passed_at === null ? undefined : timestampFromDate(pool.passed_at),
    nextPassAt: pool.due_at === null ? undefined : timestampFromDate(pool.due_at),
    failedPasses: pool.failures,
    lastFailure: pool.last_failure ?? undefined,
    unattributedVisits: BigInt(unattributed),
  });
}

function sourceMessages({ sources }: Explanation, rows: readonly PassTrackerRow[]): SourceExplanation[] {
  const held = new Map(rows.map((row) => [row.tracking_number, row]));
  let others = 0;
  return sources
    .filter(({ trackingNumber }) => trackingNumber !== undefined || ++others <= MOST_OTHERS)
    .map((each) => sourceMessage(each, held.get(each.trackingNumber ?? "")));
}

/**
 * A source as it is now. The domain explains what holds after a pass, and one may be due: what a source is to get then, it does
 * not have yet.
 */
function sourceMessage(each: Explanation["sources"][number], row: PassTrackerRow | undefined): SourceExplanation {
  const { source, medium, visits, rank, trackingNumber, reason } = each;
  const common = { source, medium, visits: BigInt(visits), rank };
  if (row?.source === source && row.medium === medium) {
    return create(SourceExplanationSchema, {
      ...common,
      callTrackerId: row.id,
      trackingNumber,
      status: statusOf(row.status),
      isServed: row.status === "active",
      reason,
    });
  }
  const isToCome = trackingNumber !== undefined;
  return create(SourceExplanationSchema, {
    ...common,
    reason: isToCome ? `gets ${trackingNumber} in the next pass` : reason,
  });
}

function warningsOf(
  { unserved, missing, advisedSize }: Explanation,
  pool: Awaited<ReturnType<typeof requirePassedPool>>,
  held: number,
  unattributed: number,
): string[] {
  const warnings: string[] = [];
  if (!pool.is_active) warnings.push("call tracking is disabled for the account: the pool stays as it is");
  if (unserved.length > 0) {
    const isLargeEnough = advisedSize !== undefined && advisedSize <= pool.size;
    const remedy = advisedSize === undefined ? ": raise utilization" : `: raise size to ${advisedSize}`;
    warnings.push(`${counted(unserved.length, "source")} not served${isLargeEnough ? "" : remedy}`);
  }
  if (missing > 0) {
    warnings.push(`the inventory lacks ${counted(missing, "number")} of area code ${pool.area_code}: add some`);
  }
  if (held > pool.size)
    warnings.push(`the pool holds ${held} of ${pool.size}: active and flagged ones stay until they are free`);
  if (unattributed > 0) warnings.push(`${counted(unattributed, "visit")} came from too many sources to tell apart`);
  if (pool.failures > 0) warnings.push(`the last ${counted(pool.failures, "attempt")} to manage the pool failed`);
  return warnings;
}
