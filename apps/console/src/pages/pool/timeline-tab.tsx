import type { Pool } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { useState } from "preact/hooks";
import { hasScope } from "../../api/identity";
import { useLoad } from "../../api/use-load";
import { eventsAboutPool } from "../../events/event-filters";
import { countOf, countText } from "../../format/number-text";
import { Empty } from "../../ui/empty";
import { Loading } from "../../ui/loading";
import { Notice } from "../../ui/notice";
import { Time } from "../../ui/time";
import { AuditTable } from "./audit-table";
import { ChangesTable } from "./changes-table";
import { TimelineChart } from "./timeline-chart";
import { loadTimeline, type TimelineData } from "./timeline-data";

const MORE_CHANGES = 20_000;

/** The history of a pool: the timeline of its numbers, sources and calls, and who changed the pool. */
export function TimelineTab({ pool }: { readonly pool: Pool }) {
  const [maxChanges, setMaxChanges] = useState(MORE_CHANGES);
  const loaded = useLoad(`timeline ${pool.id} ${maxChanges}`, (signal) => loadTimeline(pool, maxChanges, signal), {
    // New calls are later than the end of the loaded timeline.
    changedBy: (event) => eventsAboutPool(pool.id)(event) || event.type.startsWith("call."),
  });
  return (
    <Loading of={loaded} what="the history">
      {(data) => (
        <>
          {data.isCut && <CutHistory data={data} onMore={() => setMaxChanges(maxChanges + MORE_CHANGES)} />}
          {data.numbers.length === 0 ? (
            <Empty title="No history yet">The pool has not taken any numbers.</Empty>
          ) : (
            <TimelineChart pool={pool} data={data} />
          )}
          {hasScope("admin") && (
            <>
              <h2>Who changed the pool</h2>
              {data.audit.isCut && (
                <p class="muted">Only the newest {countOf(data.audit.entries.length, "change")} are shown.</p>
              )}
              <AuditTable entries={data.audit.entries} />
            </>
          )}
          <details class="disclosure">
            <summary>All changes to call trackers as a table</summary>
            <ChangesTable label="Changes to call trackers" changes={data.changes} />
          </details>
        </>
      )}
    </Loading>
  );
}

function CutHistory({ data, onMore }: { readonly data: TimelineData; readonly onMore: () => void }) {
  return (
    <Notice kind="info">
      Only the oldest {countText(data.changes.length)} changes are shown, up to <Time value={new Date(data.until)} />.{" "}
      <button type="button" class="small" onClick={onMore}>
        Show more
      </button>
    </Notice>
  );
}
