import type { ReportedVisit } from "@calltrack/domain";
import { type BatchLimits, createBatcher, type Executor } from "@calltrack/postgres";
import type { AccountDirectory } from "../../access/account-directory.js";
import { dueCheckIntervalMs, type PoolRules } from "../../config/pool-rules.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import type { RecordedVisits, VisitBatch } from "./visit-groups.js";
import { recordVisits, VISIT_LIMITS } from "./visit-repository.js";
import { findDniPool } from "./visit-statements.js";

/** Two concurrent batches: one can be prepared while the database counts the other. */
const RECORDING_BATCH: BatchLimits = { concurrency: 2, size: 16 };

/** Counts visits of one account. Concurrent calls share a statement. See `recordVisits`. */
export type VisitRecorder = (batch: VisitBatch) => Promise<RecordedVisits>;

/** Creates the visit recorder, which all services share. */
export function createVisitRecorder(database: DatabaseAccess, poolRules: PoolRules): VisitRecorder {
  const rules = {
    visitWindowDays: poolRules.visitWindowDays,
    dueWithinMs: dueCheckIntervalMs(poolRules),
    ...VISIT_LIMITS,
  };
  const keyOf = ({ accountId }: VisitBatch) => (database.isDistributed ? accountId : undefined);
  return createBatcher((batches) => recordVisits(database.db, batches, rules), RECORDING_BATCH, keyOf);
}

/**
 * Counts a visit that a web page reports, if the account has a DNI pool on its property. Otherwise anyone could fill the
 * table with invented properties.
 *
 * @param now the time of the visit.
 */
export async function recordReportedVisit(
  db: Executor,
  accounts: AccountDirectory,
  record: VisitRecorder,
  { account, ...visit }: ReportedVisit,
  now: Date,
): Promise<void> {
  const accountId = (await accounts.find(account))?.accountId;
  if (accountId === undefined) return;
  const [pool] = await findDniPool(db, { accountId, propertyToken: visit.propertyToken });
  if (pool !== undefined) await record({ accountId, visits: [{ ...visit, count: 1, occurredAt: now }], now });
}
