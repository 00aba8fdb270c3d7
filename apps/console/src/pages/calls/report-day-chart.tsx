import type { CallReportRow } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { AxisText } from "../../charts/axis-text";
import { listTimeTicks, UTC_ZONE } from "../../charts/time-ticks";
import { useElementWidth } from "../../charts/use-element-width";
import { formatCount, formatCountWithNoun, formatRate } from "../../format/number-text";
import { ChartLegend } from "../../ui/chart-legend";

const HEIGHT = 230;
const TOP = 14;
const BOTTOM = 26;
const SIDE = 40;
const DAY_MS = 86_400_000;

const MARKS = [
  ["bar-answered", "answered"],
  ["bar-other", "not answered"],
  ["bar-rate", "calls per 100 visits (right scale)"],
] as const;

/** A day, and its row in the report; the row is undefined if the day had neither calls nor visits. */
type Day = readonly [day: string, row: CallReportRow | undefined];

/** Shows calls by day as bars, and calls per 100 visits as a line with a separate scale on the right. */
export function ReportDayChart({ days }: { readonly days: readonly Day[] }) {
  const { ref, width } = useElementWidth<HTMLDivElement>();
  const most = Math.max(...days.map(([, row]) => row?.calls ?? 0), 1);
  const best = Math.max(...days.map(([, row]) => row?.callsPer100Visits ?? 0), 1);
  const band = (width - 2 * SIDE) / Math.max(days.length, 1);
  const y = (share: number) => HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
  const rates = days.flatMap(([day, row], index) =>
    row?.callsPer100Visits === undefined ? [] : [{ day, rate: row.callsPer100Visits, x: SIDE + (index + 0.5) * band }],
  );
  return (
    <figure class="bars">
      <ChartLegend label="Marks" marks={MARKS} />
      <div ref={ref} class="chart">
        <svg
          width={width}
          height={HEIGHT}
          role="img"
          aria-label="Calls and calls per 100 visits by day; the table below has the same figures"
        >
          <line class="axis" x1={SIDE} x2={width - SIDE} y1={y(0)} y2={y(0)} />
          <line class="grid" x1={SIDE} x2={width - SIDE} y1={y(1)} y2={y(1)} />
          <AxisText x={SIDE - 6} y={y(1) + 4} anchor="end" text={formatCount(most)} />
          <AxisText x={SIDE - 6} y={y(0) + 4} anchor="end" text={0} />
          <AxisText x={width - SIDE + 6} y={y(1) + 4} anchor="start" text={formatRate(best)} />
          <AxisText x={width - SIDE + 6} y={y(0) + 4} anchor="start" text={0} />
          {days.map(([day, row], index) => (
            <DayBar key={day} {...{ day, row, most, y }} x={SIDE + index * band} width={band} />
          ))}
          <polyline class="rate-line" points={rates.map(({ x, rate }) => `${x},${y(rate / best)}`).join(" ")} />
          {rates.map(({ day, x, rate }) => (
            <circle key={day} class="rate-point" cx={x} cy={y(rate / best)} r="3.5">
              <title>{`${day}: ${formatRate(rate)} calls per 100 visits`}</title>
            </circle>
          ))}
          <DayAxis days={days} band={band} />
        </svg>
      </div>
    </figure>
  );
}

interface DayBarProps {
  readonly day: string;
  readonly row: CallReportRow | undefined;
  readonly most: number;
  readonly x: number;
  readonly width: number;
  readonly y: (share: number) => number;
}

function DayBar({ day, row, most, x, width, y }: DayBarProps) {
  if (row === undefined) return null;
  const [answered, all] = [row.answered / most, row.calls / most];
  const inner = Math.max(width * 0.7, 1);
  const left = x + (width - inner) / 2;
  return (
    <g>
      <title>{`${day}: ${formatCountWithNoun(row.calls, "call")}, ${formatCount(row.answered)} answered`}</title>
      <rect class="bar-answered" x={left} y={y(answered)} width={inner} height={y(0) - y(answered)} />
      <rect class="bar-other" x={left} y={y(all)} width={inner} height={y(answered) - y(all)} />
    </g>
  );
}

function DayAxis({ days, band }: { readonly days: readonly Day[]; readonly band: number }) {
  const first = Date.parse(days[0]?.[0] ?? "");
  const last = first + (days.length - 1) * DAY_MS;
  return (
    <>
      {listTimeTicks(first, last, (days.length * band) / 70, UTC_ZONE).map(({ at, text }) => (
        <AxisText key={at} x={SIDE + ((at - first) / DAY_MS + 0.5) * band} y={HEIGHT - 7} text={text} />
      ))}
    </>
  );
}
