import type { CallReportRow } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { formatCountWithNoun, formatRate } from "../../format/number-text";
import { ChartLegend } from "../../ui/chart-legend";
import { ReportGroupName } from "./report-group-name";
import { getReportRowKey, type ReportGrouping } from "./report-query";

const MAX_BARS = 25;

const MARKS = [
  ["bar-answered", "answered"],
  ["bar-other", "not answered"],
  ["bar-rate", "calls per 100 visits"],
] as const;

interface BarChartProps {
  readonly rows: readonly CallReportRow[];
  readonly group: ReportGrouping;
}

/** Shows the groups with the most calls, each with a bar for its calls and a bar for its calls per 100 visits. */
export function ReportBarChart({ rows, group }: BarChartProps) {
  const shown = rows.slice(0, MAX_BARS);
  const most = Math.max(...shown.map(({ calls }) => calls), 1);
  const best = Math.max(...shown.map(({ callsPer100Visits }) => callsPer100Visits ?? 0), 0.01);
  return (
    <figure class="bars">
      <ChartLegend label="Parts of the bars" marks={MARKS} />
      <ul class="bar-list">
        {shown.map((row) => (
          <li key={getReportRowKey(group, row)}>
            <span class="bar-name">
              <ReportGroupName group={group} row={row} />
            </span>
            <Bar
              parts={[
                ["bar-answered", row.answered / most],
                ["bar-other", (row.calls - row.answered) / most],
              ]}
              text={formatCountWithNoun(row.calls, "call")}
            />
            <Bar
              parts={[["bar-rate", (row.callsPer100Visits ?? 0) / best]]}
              text={
                row.callsPer100Visits === undefined
                  ? "visits unknown"
                  : `${formatRate(row.callsPer100Visits)} per 100 visits`
              }
            />
          </li>
        ))}
      </ul>
      {rows.length > shown.length && (
        <figcaption class="muted">
          Only the {shown.length} groups with the most calls are shown here. The table below has all {rows.length}{" "}
          groups.
        </figcaption>
      )}
    </figure>
  );
}

interface BarProps {
  readonly parts: readonly (readonly [color: string, share: number])[];
  readonly text: string;
}

function Bar({ parts, text }: BarProps) {
  let x = 0;
  return (
    <span class="bar-line">
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        {parts.map(([color, share]) => {
          const left = x;
          x += share * 100;
          return <rect key={color} class={color} x={left} width={share * 100} height="10" />;
        })}
      </svg>
      <span>{text}</span>
    </span>
  );
}
