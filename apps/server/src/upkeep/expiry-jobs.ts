import type { Executor } from "@calltrack/postgres";
import { deleteExpiredVisits } from "../api/traffic/visit-repository.js";
import type { Config } from "../config/config.js";
import { deleteExpiredKeys } from "../database/idempotency/idempotency-keys.js";
import { deleteFinishedDeliveries } from "./expired-deliveries.js";
import { deleteExpiredEvents } from "./expired-events.js";
import { deleteExpiredHistory } from "./expired-history.js";
import { deleteExpiredAuditEntries, deleteExpiredCalls } from "./expired-rows.js";
import type { UpkeepJob } from "./upkeep-runner.js";

export function createExpiryJobs(
  db: Executor,
  { auditRetentionMs, callRetentionMs, eventRetentionMs, historyRetentionMs, poolRules }: Config,
): readonly UpkeepJob[] {
  return [
    { name: "visits", run: () => deleteExpiredVisits(db, poolRules) },
    { name: "idempotency keys", run: () => deleteExpiredKeys(db) },
    { name: "calls", run: () => deleteExpiredCalls(db, callRetentionMs) },
    { name: "the history of call trackers", run: () => deleteExpiredHistory(db, historyRetentionMs) },
    { name: "webhook deliveries", run: () => deleteFinishedDeliveries(db) },
    { name: "events", run: () => deleteExpiredEvents(db, eventRetentionMs) },
    { name: "audit entries", run: () => deleteExpiredAuditEntries(db, auditRetentionMs) },
  ];
}
