import type { Pool } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { hasScope } from "../../api/identity";
import { useLoad } from "../../api/use-load";
import { countText } from "../../format/number-text";
import { Empty } from "../../ui/empty";
import { Loading } from "../../ui/loading";
import { Notice } from "../../ui/notice";
import { AuditTable } from "./audit-table";
import { ChangesTable } from "./changes-table";
import { TimelineChart } from "./timeline-chart";
import { loadTimeline } from "./timeline-data";

/** The history of a pool: which source held which number when, the calls, and who changed the pool. */
export function TimelineTab({ pool }: { readonly pool: Pool }) {
  const loaded = useLoad(`timeline ${pool.id} ${pool.etag}`, (signal) => loadTimeline(pool, signal));
  return (
    <Loading of={loaded} what="the history">
      {(data) => (
        <>
          {data.isCut && (
            <Notice kind="info">
              The oldest {countText(data.changes.length)} changes are shown; the command line has all.
            </Notice>
          )}
          {data.numbers.length === 0 ? (
            <Empty title="No history yet">The pool has not taken any numbers.</Empty>
          ) : (
            <TimelineChart data={data} />
          )}
          {hasScope("admin") && (
            <>
              <h2>Who changed the pool</h2>
              <AuditTable entries={data.audit} />
            </>
          )}
          <details class="disclosure">
            <summary>All changes of call trackers as a table</summary>
            <ChangesTable label="Changes of call trackers" changes={data.changes} />
          </details>
        </>
      )}
    </Loading>
  );
}
