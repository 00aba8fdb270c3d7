import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { PoolExplanation, PoolPlan } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Loaded } from "../../api/use-load";
import { countOf } from "../../format/number-text";
import { CapacityLegend } from "../../ui/capacity-legend";
import { Empty } from "../../ui/empty";
import { Loading } from "../../ui/loading";
import { Notice } from "../../ui/notice";
import { Time } from "../../ui/time";
import { CapacityChart } from "./capacity-chart";
import { ChangesTable } from "./changes-table";
import { plannedCapacity } from "./planned-capacity";

interface PoolState {
  readonly explanation: PoolExplanation;
  readonly now: Date;
}

interface PlanViewProps {
  readonly plan: Loaded<PoolPlan>;
  readonly state: Loaded<PoolState>;
  readonly size: number;
}

/** A plan as a chart and a table. The previous plan stays visible while the next one is computed. */
export function PlanView({ plan, state, size }: PlanViewProps) {
  const isInvalid = Object.keys(plan.failure?.violations ?? {}).length > 0;
  if (isInvalid)
    return (
      <Notice kind="warning">
        These settings are not valid, so there is no plan: see the messages below the fields.
      </Notice>
    );
  return (
    <Loading of={plan} what="the plan">
      {(value) => (
        <div class="stack">
          <Outcome plan={value} />
          <Loading of={state} what="the current state">
            {(current) => <PlanChart plan={value} state={current} size={size} />}
          </Loading>
          {value.changes.length === 0 ? (
            <Empty title="No call tracker would change" />
          ) : (
            <ChangesTable label="Planned changes" changes={value.changes} isPlan />
          )}
        </div>
      )}
    </Loading>
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
        steps={plannedCapacity({ at, active, flagged, available }, plan.changes)}
        until={until}
        size={size}
      />
      <figcaption class="muted">
        Planned until <Time value={plan.plannedUntil} />, assuming that visits stay as they are.
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
    unservedSources > 0 && `${countOf(unservedSources, "source")} would be without a number`,
    missingNumbers > 0 &&
      `${countOf(missingNumbers, "number")} with this area code would be missing from the inventory`,
  ].filter(Boolean);
  if (problems.length === 0) return <Notice kind="success">Every source that should have a number gets one.</Notice>;
  return <Notice kind="warning">{problems.join("; ")}.</Notice>;
}
