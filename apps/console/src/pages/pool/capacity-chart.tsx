import { AxisText } from "../../charts/axis-text";
import { listTimeTicks } from "../../charts/time-ticks";
import { useElementWidth } from "../../charts/use-element-width";
import type { CallTrackerCounts } from "./planned-counts";

const HEIGHT = 190;
const TOP = 10;
const BOTTOM = 24;
const LEFT = 34;

const LAYERS = ["active", "flagged", "available"] as const;

interface CapacityChartProps {
  readonly steps: readonly CallTrackerCounts[];
  readonly until: number;
  /** The pool's planned size, which is drawn as a horizontal line. */
  readonly size: number;
}

/** The planned number of call trackers by status, as stacked steps over time. Times are in milliseconds since 1970. */
export function CapacityChart({ steps, until, size }: CapacityChartProps) {
  const { ref, width } = useElementWidth<HTMLDivElement>();
  const from = steps[0]?.at ?? until;
  const highest = Math.max(size, ...steps.map(({ active, flagged, available }) => active + flagged + available), 1);
  const x = (at: number) => LEFT + ((at - from) / Math.max(until - from, 1)) * (width - LEFT - 8);
  const y = (count: number) => HEIGHT - BOTTOM - (count / highest) * (HEIGHT - TOP - BOTTOM);
  return (
    <div ref={ref} class="chart">
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label="Call trackers by status over the planned time; the table below lists the changes"
      >
        <Hatching />
        {LAYERS.map((name, layer) => (
          <path key={name} class={`layer-${name}`} d={layerPath(steps, until, layer, x, y)} />
        ))}
        <line class="size-line" x1={LEFT} x2={width - 8} y1={y(size)} y2={y(size)} />
        <AxisText x={LEFT - 6} y={y(size) + 4} anchor="end" text={size} />
        <line class="axis" x1={LEFT} x2={width - 8} y1={y(0)} y2={y(0)} />
        <AxisText x={LEFT - 6} y={y(0) + 4} anchor="end" text={0} />
        {listTimeTicks(from, until, width / 110).map(({ at, text }) => (
          <g key={at}>
            <line class="axis" x1={x(at)} x2={x(at)} y1={y(0)} y2={y(0) + 4} />
            <AxisText x={Math.min(x(at), width - 24)} y={HEIGHT - 6} text={text} />
          </g>
        ))}
      </svg>
    </div>
  );
}

/** The fill for flagged call trackers: hatched, so that it differs from the other fills even in grayscale print. */
function Hatching() {
  return (
    <defs>
      <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect class="hatch-ground" width="6" height="6" />
        <rect class="hatch-line" width="2.5" height="6" />
      </pattern>
    </defs>
  );
}

/** Returns SVG path data: the layer's upper edge from left to right, then its lower edge from right to left. */
function layerPath(
  steps: readonly CallTrackerCounts[],
  until: number,
  layer: number,
  x: (at: number) => number,
  y: (count: number) => number,
): string {
  const sum = (step: CallTrackerCounts, layers: number) =>
    LAYERS.slice(0, layers).reduce((total, name) => total + step[name], 0);
  const corners = (layers: number) =>
    steps.flatMap((step, index) => {
      const end = steps[index + 1]?.at ?? until;
      return [x(step.at), x(end)].map((at) => `${at.toFixed(1)},${y(sum(step, layers)).toFixed(1)}`);
    });
  return `M${corners(layer + 1).join("L")}L${corners(layer).toReversed().join("L")}Z`;
}
