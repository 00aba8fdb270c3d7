import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { PoolExplanation, PoolPlan } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { LoadedValue } from "../../api/use-load";
import { formatCountWithNoun } from "../../format/number-text";
import { CapacityLegend } from "../../ui/capacity-legend";
import { EmptyNotice } from "../../ui/empty-notice";
import { LoadedView } from "../../ui/loaded-view";
import { LocalTime } from "../../ui/local-time";
import { Notice } from "../../ui/notice";
import { CallTrackerChangeTable } from "./call-tracker-change-table";
import { CapacityChart } from "./capacity-chart";
import { computePlannedCounts } from "./planned-counts";

interface PoolState {
  readonly explanation: PoolExplanation;
  readonly now: Date;
}

interface PlanViewProps {
  readonly plan: LoadedValue<PoolPlan>;
  readonly state: LoadedValue<PoolState>;
  readonly size: number;
}

/** Shows the plan of a pool update as a chart and a table. The previous plan stays visible until the next plan arrives. */
export function PoolPlanView({ plan, state, size }: PlanViewProps) {
  const isInvalid = Object.keys(plan.failure?.violations ?? {}).length > 0;
  if (isInvalid)
    return (
      <Notice kind="warning">
        These settings are not valid, so there is no plan: see the messages below the fields.
      </Notice>
    );
  return (
    <LoadedView of={plan} what="the plan">
      {(value) => (
        <div class="stack">
          <Outcome plan={value} />
          <LoadedView of={state} what="the current state">
            {(current) => <PlanChart plan={value} state={current} size={size} />}
          </LoadedView>
          {value.changes.length === 0 ? (
            <EmptyNotice title="No call tracker would change" />
          ) : (
            <CallTrackerChangeTable label="Planned changes" changes={value.changes} isPlan />
          )}
        </div>
      )}
    </LoadedView>
  );
}

interface PlanChartProps {
  readonly plan: PoolPlan;
  readonly state: PoolState;
  readonly size: number;
}

function PlanChart({ plan, state, size }: PlanChartProps) {
  const { active, flagged, available } = state.explanation;
  const at = state.now.getTime();
  const until = plan.plannedUntil === undefined ? at + 1 : timestampMs(plan.plannedUntil);
  return (
    <figure>
      <CapacityLegend />
      <CapacityChart
        steps={computePlannedCounts({ at, active, flagged, available }, plan.changes)}
        until={until}
        size={size}
      />
      <figcaption class="muted">
        Planned until <LocalTime value={plan.plannedUntil} />, assuming that visits stay constant.
      </figcaption>
    </figure>
  );
}

function Outcome({ plan: { unservedSources, missingNumbers, isFrozen } }: { readonly plan: PoolPlan }) {
  if (isFrozen)
    return (
      <Notice kind="info">Call tracking is disabled for this account: nothing changes until it is enabled.</Notice>
    );
  const problems = [
    unservedSources > 0 && `${formatCountWithNoun(unservedSources, "source")} would be without a number`,
    missingNumbers > 0 &&
      `${formatCountWithNoun(missingNumbers, "number")} with this area code would be missing from the inventory`,
  ].filter(Boolean);
  if (problems.length === 0) return <Notice kind="success">Every source that should have a number gets one.</Notice>;
  return <Notice kind="warning">{problems.join("; ")}.</Notice>;
}
