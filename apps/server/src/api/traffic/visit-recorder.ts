import type { ReportedVisit } from "@calltrack/domain";
import { type BatchLimits, batchCalls, type Executor } from "@calltrack/postgres";
import { lookIntervalMs, type PoolRules } from "../../config/pool-rules.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import type { VisitBatch } from "./visit-groups.js";
import { findAccountsOfProperty, type RecordedVisits, recordVisits, VISIT_LIMITS } from "./visit-repository.js";

/** Two concurrent batches: one can be prepared while the database counts the other. */
const RECORDING_BATCH: BatchLimits = { concurrency: 2, calls: 16 };

/** Counts visits of one account. Concurrent calls share a statement. See `recordVisits`. */
export type VisitRecorder = (batch: VisitBatch) => Promise<RecordedVisits>;

/** Creates the visit recorder, which all services share. */
export function createVisitRecorder(database: DatabaseAccess, poolRules: PoolRules): VisitRecorder {
  const rules = {
    visitWindowDays: poolRules.visitWindowDays,
    dueWithinMs: lookIntervalMs(poolRules),
    ...VISIT_LIMITS,
  };
  const keyOf = ({ accountId }: VisitBatch) => (database.isDistributed ? accountId : undefined);
  return batchCalls((batches) => recordVisits(database.db, batches, rules), RECORDING_BATCH, keyOf);
}

/**
 * Counts a visit that a web page reports, for each account with a DNI pool on its property.
 *
 * @param now the time of the visit.
 */
export async function reportVisit(db: Executor, record: VisitRecorder, visit: ReportedVisit, now: Date): Promise<void> {
  const accountIds = await findAccountsOfProperty(db, visit.propertyToken);
  const visits = [{ ...visit, count: 1, occurredAt: now }];
  await Promise.all(accountIds.map((accountId) => record({ accountId, visits, now })));
}
