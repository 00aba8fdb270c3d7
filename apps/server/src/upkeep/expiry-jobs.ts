import type { Executor } from "@calltrack/postgres";
import { deleteExpiredVisits } from "../api/traffic/visit-repository.js";
import type { Config } from "../config/config.js";
import { deleteExpiredIdempotencyKeys } from "../database/idempotency/stored-responses.js";
import { deleteFinishedDeliveries } from "./expired-deliveries.js";
import { deleteExpiredEvents } from "./expired-events.js";
import { deleteExpiredNumberHistory } from "./expired-number-history.js";
import { deleteExpiredAuditEntries, deleteExpiredCalls } from "./expired-rows.js";
import type { UpkeepJob } from "./upkeep-runner.js";

export function createExpiryJobs(
  db: Executor,
  { auditRetentionMs, callRetentionMs, eventRetentionMs, historyRetentionMs, poolRules }: Config,
): readonly UpkeepJob[] {
  return [
    { name: "visits", run: () => deleteExpiredVisits(db, poolRules) },
    { name: "idempotency keys", run: () => deleteExpiredIdempotencyKeys(db) },
    { name: "calls", run: () => deleteExpiredCalls(db, callRetentionMs) },
    { name: "the history of call trackers", run: () => deleteExpiredNumberHistory(db, historyRetentionMs) },
    { name: "webhook deliveries", run: () => deleteFinishedDeliveries(db) },
    { name: "events", run: () => deleteExpiredEvents(db, eventRetentionMs) },
    { name: "audit entries", run: () => deleteExpiredAuditEntries(db, auditRetentionMs) },
  ];
}
