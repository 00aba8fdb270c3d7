import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { AuditEntry } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import type { Pool } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { useMemo, useRef, useState } from "preact/hooks";
import { AxisText } from "../../charts/axis-text";
import { listTimeTicks } from "../../charts/time-ticks";
import { useElementWidth } from "../../charts/use-element-width";
import { formatTime, formatUtcTime } from "../../format/time-text";
import { ChartLegend } from "../../ui/chart-legend";
import { useVirtualizer } from "../../ui/use-virtualizer";
import { formatAuditActor } from "./pool-audit-table";
import { assignSourceColors } from "./source-colors";
import { TimelineCallCount, usePoolCalls } from "./timeline-calls";
import type { TimelineData } from "./timeline-data";
import { TimelineRow } from "./timeline-row";
import { type TimeRange, ZoomButtons } from "./zoom-buttons";

const ROW_PX = 34;
const LABEL_PX = 128;
const NARROW_LABEL_PX = 108;
const PADDING_PX = 42;
const AXIS_PX = 28;
const MIN_RANGE_MS = 60_000;

interface TimelineChartProps {
  readonly pool: Pool;
  readonly data: TimelineData;
}

/** The timeline of a pool: a row for each number, with a bar for each period and a mark for each call. */
export function TimelineChart({ pool, data }: TimelineChartProps) {
  const { ref, width } = useElementWidth<HTMLDivElement>();
  const frame = useRef<HTMLDivElement>(null);
  const whole = useMemo((): TimeRange => ({ from: data.from, to: data.until }), [data.from, data.until]);
  // When the history is reloaded, the whole range grows, but the part to which the user has zoomed in stays the same.
  const [part, setPart] = useState<TimeRange>();
  const range = part ?? whole;
  const [hovered, setHovered] = useState("");
  const virtualizer = useVirtualizer(frame, data.numbers.length, ROW_PX);
  const loadedCalls = usePoolCalls(pool, range);
  const calls = useMemo(
    () => Map.groupBy(loadedCalls.value?.calls ?? [], ({ trackingNumber }) => trackingNumber),
    [loadedCalls.value],
  );
  const colors = useMemo(() => assignSourceColors(data.numbers), [data]);
  const chartWidth = Math.max(width - (width <= 470 ? NARROW_LABEL_PX : LABEL_PX) - PADDING_PX, 120);
  const x = (at: number) => ((at - range.from) / (range.to - range.from)) * chartWidth;
  const zoom = (next: TimeRange) => {
    // Whole milliseconds, because a request for the calls in a range cannot contain fractions of a nanosecond.
    const length = Math.round(Math.max(next.to - next.from, MIN_RANGE_MS));
    const from = Math.min(Math.max(Math.round(next.from), data.from), Math.max(data.until - length, data.from));
    const to = Math.min(from + length, data.until);
    setPart(from === whole.from && to === whole.to ? undefined : { from, to });
  };
  return (
    <div ref={ref} class="timeline">
      <ZoomButtons range={range} whole={whole} onZoom={zoom} />
      <TimelineCallCount of={loadedCalls} />
      <ChartLegend label="Marks" marks={listLegendMarks(colors, data.audit.entries.length > 0)} />
      <div class="timeline-axis">
        <span class="timeline-label" />
        <Axis width={chartWidth} range={range} audit={data.audit.entries} x={x} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the rows scroll, also by keyboard */}
      <section class="timeline-rows" aria-label="Numbers over time" tabIndex={0} ref={frame}>
        <div style={{ height: `${virtualizer.getTotalSize()}px` }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const row = data.numbers[index];
            if (row === undefined) return null;
            return (
              <div key={row.number} class="timeline-row" style={{ transform: `translateY(${start}px)` }}>
                <TimelineRow
                  {...{ row, colors, range, x }}
                  width={chartWidth}
                  calls={calls.get(row.number) ?? []}
                  onHover={setHovered}
                />
              </div>
            );
          })}
        </div>
      </section>
      <p class="timeline-detail" aria-hidden="true">
        {hovered === "" ? "Point at a bar or a call to see its details." : hovered}
      </p>
    </div>
  );
}

const MAX_LEGEND = 12;

const MARKS = [
  ["mark-flagged", "flagged"],
  ["mark-available", "available"],
  ["mark-call", "call"],
] as const;

/**
 * Returns the marks in the legend: the first `MAX_LEGEND` sources, the marks that every timeline has and, with `hasAudit`, the mark for changes by
 * people.
 */
function listLegendMarks(
  colors: ReadonlyMap<string, string>,
  hasAudit: boolean,
): readonly (readonly [string, string])[] {
  const sources = Array.from(colors, ([name, color]) => [color, name] as const).slice(0, MAX_LEGEND);
  return [...sources, ...MARKS, ...(hasAudit ? [["mark-audit", "change by a person"] as const] : [])];
}

interface AxisProps {
  readonly width: number;
  readonly range: TimeRange;
  readonly audit: readonly AuditEntry[];
  readonly x: (at: number) => number;
}

function Axis({ width, range, audit, x }: AxisProps) {
  return (
    <svg
      width={width}
      height={AXIS_PX}
      role="img"
      aria-label={`From ${formatTime(range.from)} to ${formatTime(range.to)}`}
    >
      <line class="axis" x1="0" x2={width} y1={AXIS_PX - 1} y2={AXIS_PX - 1} />
      {listTimeTicks(range.from, range.to, width / 90).map(({ at, text }) => (
        <g key={at}>
          <line class="axis" x1={x(at)} x2={x(at)} y1={AXIS_PX - 6} y2={AXIS_PX} />
          <AxisText x={Math.min(Math.max(x(at), 22), width - 22)} y={AXIS_PX - 11} text={text} />
        </g>
      ))}
      {audit.map(({ id, occurredAt, actor, method }) => {
        const at = occurredAt === undefined ? 0 : timestampMs(occurredAt);
        if (at < range.from || at > range.to) return null;
        return (
          <path key={id} class="audit-mark" d={`M${x(at)},${AXIS_PX}l-5,-9h10z`}>
            <title>{`${method} by ${formatAuditActor(actor)}, ${formatUtcTime(new Date(at))}`}</title>
          </path>
        );
      })}
    </svg>
  );
}
