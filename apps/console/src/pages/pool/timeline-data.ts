import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type AuditEntry, AuditService } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import { type CallTrackerChange, type Pool, PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { api } from "../../api/client";
import { serverTime } from "../../api/clock";
import { hasScope } from "../../api/identity";
import { type ListStart, readList } from "../../api/list-pages";
import { type NumberHistory, numberHistoriesOf } from "./status-period";

/** The history of a pool. Times are in milliseconds since 1970. */
export interface TimelineData {
  readonly numbers: readonly NumberHistory[];
  readonly changes: readonly CallTrackerChange[];
  /** The newest changes that people and programs made through the API, newest first; empty if the caller may not read the audit log. */
  readonly audit: ListStart<AuditEntry>;
  readonly from: number;
  /** The server's current time, or the time of the last loaded change if `isCut`. */
  readonly until: number;
  /** Whether later changes were not loaded. */
  readonly isCut: boolean;
}

const MAX_AUDIT_ENTRIES = 100;
const HOUR_MS = 3_600_000;

/** Loads the oldest `maxChanges` changes of a pool, and the newest audit entries about it. */
export async function loadTimeline(pool: Pool, maxChanges: number, signal: AbortSignal): Promise<TimelineData> {
  const id = { accountId: pool.accountToken, poolId: pool.id };
  const [{ entries: changes, isCut }, audit, time] = await Promise.all([
    readList(
      (page) => api(PoolService).listPoolHistory({ ...id, ...page }, { signal }),
      (page) => page.changes,
      maxChanges,
    ),
    loadAudit(pool, signal),
    serverTime(signal),
  ]);
  const created = pool.createdAt === undefined ? time.getTime() : timestampMs(pool.createdAt);
  const last = changes.at(-1)?.occurredAt;
  const lastChange = last === undefined ? created : timestampMs(last);
  // If the history is cut, later changes are unknown, so no period extends beyond the last loaded one.
  const until = isCut ? lastChange : Math.max(time.getTime(), lastChange);
  return {
    numbers: numberHistoriesOf(changes, until),
    changes,
    isCut,
    audit,
    from: Math.min(created, until - HOUR_MS),
    until,
  };
}

async function loadAudit({ accountToken, id }: Pool, signal: AbortSignal): Promise<ListStart<AuditEntry>> {
  if (!hasScope("admin")) return { entries: [], isCut: false };
  return readList(
    (page) => api(AuditService).listAuditEntries({ accountId: accountToken, resourceId: id, ...page }, { signal }),
    ({ auditEntries }) => auditEntries,
    MAX_AUDIT_ENTRIES,
  );
}
