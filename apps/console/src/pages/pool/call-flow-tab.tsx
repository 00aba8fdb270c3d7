import { CallFlowService } from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import { CallTrackerService } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import type { Pool } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { hasScope } from "../../api/caller-identity";
import { createApiClient } from "../../api/client";
import { useLoad } from "../../api/use-load";
import { createPoolEventFilter, isAccountCallFlowEvent } from "../../events/event-filters";
import { EmptyNotice } from "../../ui/empty-notice";
import { LoadedView } from "../../ui/loaded-view";
import { Notice } from "../../ui/notice";
import { CallFlowForm } from "./call-flow-form";
import { CallSteps } from "./call-steps";

/** The settings of a pool's call flow, and the steps that a call to the pool would take at the current time. */
export function CallFlowTab({ pool }: { readonly pool: Pool }) {
  const id = { accountId: pool.accountToken, poolId: pool.id };
  const loaded = useLoad(
    `call flow ${pool.id}`,
    async (signal) => {
      const flow = await createApiClient(CallFlowService).getCallFlow(id, { signal });
      const { callTrackers } = await createApiClient(CallTrackerService).listCallTrackers(
        { ...id, pageSize: 1 },
        { signal },
      );
      const [number] = callTrackers.map(({ trackingNumber }) => trackingNumber);
      return { flow, number };
    },
    { changedBy: (event) => createPoolEventFilter(pool.id)(event) || isAccountCallFlowEvent(event) },
  );
  return (
    <LoadedView of={loaded} what="the call flow">
      {({ flow, number }) => (
        <div class="columns">
          <section class="card stack" aria-labelledby="flow-settings">
            <h2 id="flow-settings">Settings</h2>
            {hasScope("write") ? (
              <CallFlowForm value={{ flow, number }} loaded={loaded} />
            ) : (
              <Notice kind="info">Changing the settings requires the scope write.</Notice>
            )}
          </section>
          <section class="stack" aria-labelledby="flow-steps">
            <h2 id="flow-steps">What happens to a call now</h2>
            {flow.warnings.length > 0 && (
              <Notice kind="warning" title="Settings without effect">
                <ul>
                  {flow.warnings.map((warning) => (
                    <li key={warning}>{warning}</li>
                  ))}
                </ul>
              </Notice>
            )}
            {number === undefined ? (
              <EmptyNotice title="The pool has no tracking number to call yet" />
            ) : (
              <CallSteps number={number} etag={flow.etag} />
            )}
          </section>
        </div>
      )}
    </LoadedView>
  );
}
