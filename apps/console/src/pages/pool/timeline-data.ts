import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type AuditEntry, AuditService } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import { type CallTrackerChange, type Pool, PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { hasScope } from "../../api/caller-identity";
import { createApiClient } from "../../api/client";
import { readServerTime } from "../../api/clock";
import { type PartialList, readListPages } from "../../api/list-pages";
import { deriveTrackingNumberHistories, type TrackingNumberHistory } from "./status-period";

/** The history of a pool. Times are in milliseconds since 1970. */
export interface TimelineData {
  readonly numbers: readonly TrackingNumberHistory[];
  readonly changes: readonly CallTrackerChange[];
  /** The newest changes that people and programs made through the API, newest first; empty if the user may not read the audit log. */
  readonly audit: PartialList<AuditEntry>;
  readonly from: number;
  /** The server's current time, or the time of the last loaded change if `isCut`. */
  readonly until: number;
  /** Whether the history has later changes that were not loaded. */
  readonly isCut: boolean;
}

const MAX_AUDIT_ENTRIES = 100;
const HOUR_MS = 3_600_000;

/** Loads the oldest `maxChanges` changes of a pool, and the newest audit entries about it. */
export async function loadTimeline(pool: Pool, maxChanges: number, signal: AbortSignal): Promise<TimelineData> {
  const id = { accountId: pool.accountToken, poolId: pool.id };
  const [{ entries: changes, isCut }, audit, time] = await Promise.all([
    readListPages(
      (page) => createApiClient(PoolService).listPoolHistory({ ...id, ...page }, { signal }),
      (page) => page.changes,
      maxChanges,
    ),
    loadAudit(pool, signal),
    readServerTime(signal),
  ]);
  const created = pool.createdAt === undefined ? time.getTime() : timestampMs(pool.createdAt);
  const last = changes.at(-1)?.occurredAt;
  const lastChange = last === undefined ? created : timestampMs(last);
  // If later changes were not loaded, no period extends beyond the last loaded change.
  const until = isCut ? lastChange : Math.max(time.getTime(), lastChange);
  return {
    numbers: deriveTrackingNumberHistories(changes, until),
    changes,
    isCut,
    audit,
    from: Math.min(created, until - HOUR_MS),
    until,
  };
}

async function loadAudit({ accountToken, id }: Pool, signal: AbortSignal): Promise<PartialList<AuditEntry>> {
  if (!hasScope("admin")) return { entries: [], isCut: false };
  return readListPages(
    (page) =>
      createApiClient(AuditService).listAuditEntries({ accountId: accountToken, resourceId: id, ...page }, { signal }),
    ({ auditEntries }) => auditEntries,
    MAX_AUDIT_ENTRIES,
  );
}
