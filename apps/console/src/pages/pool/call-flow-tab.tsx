import { CallFlowService } from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import { CallTrackerService } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import type { Pool } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { api } from "../../api/client";
import { hasScope } from "../../api/identity";
import { useLoad } from "../../api/use-load";
import { ofAccountFlow, ofPool } from "../../events/event-filters";
import { Empty } from "../../ui/empty";
import { Loading } from "../../ui/loading";
import { Notice } from "../../ui/notice";
import { CallFlowForm } from "./call-flow-form";
import { CallSteps } from "./call-steps";

/** The steps of a call to a pool now, and the settings that determine them. */
export function CallFlowTab({ pool }: { readonly pool: Pool }) {
  const id = { accountId: pool.accountToken, poolId: pool.id };
  const loaded = useLoad(
    `call flow ${pool.id}`,
    async (signal) => {
      const flow = await api(CallFlowService).getCallFlow(id, { signal });
      const { callTrackers } = await api(CallTrackerService).listCallTrackers({ ...id, pageSize: 1 }, { signal });
      const [number] = callTrackers.map(({ trackingNumber }) => trackingNumber);
      return { flow, number };
    },
    { changedBy: (event) => ofPool(pool.id)(event) || ofAccountFlow(event) },
  );
  return (
    <Loading of={loaded} what="the call flow">
      {({ flow, number }) => (
        <div class="columns">
          <section class="card stack" aria-labelledby="flow-settings">
            <h2 id="flow-settings">Settings</h2>
            {hasScope("write") ? (
              <CallFlowForm value={{ flow, number }} loaded={loaded} />
            ) : (
              <Notice kind="info">Changing them needs the scope write.</Notice>
            )}
          </section>
          <section class="stack" aria-labelledby="flow-steps">
            <h2 id="flow-steps">A call now</h2>
            {flow.warnings.length > 0 && (
              <Notice kind="warning" title="Without effect">
                <ul>
                  {flow.warnings.map((warning) => (
                    <li key={warning}>{warning}</li>
                  ))}
                </ul>
              </Notice>
            )}
            {number === undefined ? (
              <Empty title="The pool has no number that could be called" />
            ) : (
              <CallSteps number={number} etag={flow.etag} />
            )}
          </section>
        </div>
      )}
    </Loading>
  );
}
