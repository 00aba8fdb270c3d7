import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type AuditEntry, AuditService } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import { type Call, CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { type CallTrackerChange, type Pool, PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { api } from "../../api/client";
import { serverTime } from "../../api/clock";
import { hasScope } from "../../api/identity";
import { type NumberSpans, spansOf } from "./spans";

/** The history of a pool, with its calls and the changes that callers of the API made. */
export interface TimelineData {
  readonly numbers: readonly NumberSpans[];
  readonly changes: readonly CallTrackerChange[];
  /** The latest calls, newest first. */
  readonly calls: readonly Call[];
  /** Changes by people, newest first; empty if the caller may not read the audit log. */
  readonly audit: readonly AuditEntry[];
  readonly from: number;
  readonly now: number;
  /** Whether the history is longer than what was loaded. */
  readonly isCut: boolean;
}

const PAGE_SIZE = 1000;
const MAX_CHANGES = 20_000;

/** Loads the history of a pool, up to a length that a page can hold. */
export async function loadTimeline(pool: Pool, signal: AbortSignal): Promise<TimelineData> {
  const id = { accountId: pool.accountToken, poolId: pool.id };
  const [history, calls, audit, time] = await Promise.all([
    loadHistory(id, signal),
    api(CallService).listCalls({ ...id, pageSize: PAGE_SIZE }, { signal }),
    hasScope("admin")
      ? api(AuditService).listAuditEntries({ accountId: id.accountId, resourceId: pool.id, pageSize: 100 }, { signal })
      : undefined,
    serverTime(signal),
  ]);
  const created = pool.createdAt === undefined ? time.getTime() : timestampMs(pool.createdAt);
  const last = history.changes.at(-1)?.occurredAt;
  const now = Math.max(time.getTime(), last === undefined ? 0 : timestampMs(last));
  return {
    numbers: spansOf(history.changes, now),
    changes: history.changes,
    isCut: history.isCut,
    calls: calls.calls,
    audit: audit?.auditEntries ?? [],
    from: Math.min(created, now - 3_600_000),
    now,
  };
}

async function loadHistory(id: { readonly accountId: string; readonly poolId: string }, signal: AbortSignal) {
  const changes: CallTrackerChange[] = [];
  let pageToken: string | undefined;
  do {
    const page = await api(PoolService).listPoolHistory({ ...id, pageSize: PAGE_SIZE, pageToken }, { signal });
    changes.push(...page.changes);
    pageToken = page.nextPageToken || undefined;
  } while (pageToken !== undefined && changes.length < MAX_CHANGES);
  return { changes, isCut: pageToken !== undefined };
}
