import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type AuditEntry, AuditService } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import { type CallTrackerChange, type Pool, PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { api } from "../../api/client";
import { serverTime } from "../../api/clock";
import { hasScope } from "../../api/identity";
import { type ListStart, readList } from "../../api/list-pages";
import { type NumberSpans, spansOf } from "./spans";

/** The history of a pool and the changes that callers of the API made. */
export interface TimelineData {
  readonly numbers: readonly NumberSpans[];
  readonly changes: readonly CallTrackerChange[];
  /** Changes by people, newest first; empty if the caller may not read the audit log. */
  readonly audit: ListStart<AuditEntry>;
  readonly from: number;
  /** The current time of the server; the time of the last loaded change if there are more. */
  readonly until: number;
  /** Whether the pool has more changes than were loaded. */
  readonly isCut: boolean;
}

const MAX_AUDIT_ENTRIES = 100;
const HOUR_MS = 3_600_000;

/** Loads the history of a pool, up to `maxChanges` changes from the oldest on. */
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
  // Later changes are unknown if the history is cut, so no span reaches further.
  const until = isCut ? lastChange : Math.max(time.getTime(), lastChange);
  return {
    numbers: spansOf(changes, until),
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
