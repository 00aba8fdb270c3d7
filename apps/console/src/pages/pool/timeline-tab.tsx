import type { Pool } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { useState } from "preact/hooks";
import { hasScope } from "../../api/caller-identity";
import { useLoad } from "../../api/use-load";
import { createPoolEventFilter } from "../../events/event-filters";
import { formatCount, formatCountWithNoun } from "../../format/number-text";
import { EmptyNotice } from "../../ui/empty-notice";
import { LoadedView } from "../../ui/loaded-view";
import { LocalTime } from "../../ui/local-time";
import { Notice } from "../../ui/notice";
import { CallTrackerChangeTable } from "./call-tracker-change-table";
import { PoolAuditTable } from "./pool-audit-table";
import { TimelineChart } from "./timeline-chart";
import { loadTimeline, type TimelineData } from "./timeline-data";

const MORE_CHANGES = 20_000;

/** The history of a pool: the timeline of its numbers, sources and calls, and who changed the pool. */
export function TimelineTab({ pool }: { readonly pool: Pool }) {
  const [maxChanges, setMaxChanges] = useState(MORE_CHANGES);
  const loaded = useLoad(`timeline ${pool.id} ${maxChanges}`, (signal) => loadTimeline(pool, maxChanges, signal), {
    // A new call is later than the end of the loaded timeline, so the timeline is reloaded.
    changedBy: (event) => createPoolEventFilter(pool.id)(event) || event.type.startsWith("call."),
  });
  return (
    <LoadedView of={loaded} what="the history">
      {(data) => (
        <>
          {data.isCut && <CutHistory data={data} onMore={() => setMaxChanges(maxChanges + MORE_CHANGES)} />}
          {data.numbers.length === 0 ? (
            <EmptyNotice title="No history yet">The pool has not taken any numbers.</EmptyNotice>
          ) : (
            <TimelineChart pool={pool} data={data} />
          )}
          {hasScope("admin") && (
            <>
              <h2>Who changed the pool</h2>
              {data.audit.isCut && (
                <p class="muted">
                  Only the newest {formatCountWithNoun(data.audit.entries.length, "change")} are shown.
                </p>
              )}
              <PoolAuditTable entries={data.audit.entries} />
            </>
          )}
          <details class="disclosure">
            <summary>All changes to call trackers as a table</summary>
            <CallTrackerChangeTable label="Changes to call trackers" changes={data.changes} />
          </details>
        </>
      )}
    </LoadedView>
  );
}

function CutHistory({ data, onMore }: { readonly data: TimelineData; readonly onMore: () => void }) {
  return (
    <Notice kind="info">
      Only the oldest {formatCount(data.changes.length)} changes are shown, up to{" "}
      <LocalTime value={new Date(data.until)} />.{" "}
      <button type="button" class="small" onClick={onMore}>
        Show more
      </button>
    </Notice>
  );
}
