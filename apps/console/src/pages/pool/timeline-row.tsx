import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Call, CallOutcomeSchema } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { formatEnumValueAsWords } from "../../format/enum-text";
import { formatPhoneNumber } from "../../format/format-phone-number";
import { formatTime } from "../../format/time-text";
import type { StatusPeriod, TrackingNumberHistory } from "./status-period";
import type { TimeRange } from "./zoom-buttons";

const HEIGHT = 28;
const PERIOD_TOP = 3;
const PERIOD_PX = 17;
const CHARACTER_PX = 7;
const MIN_PERIOD_PX = 1.5;

interface TimelineRowProps {
  readonly row: TrackingNumberHistory;
  readonly calls: readonly Call[];
  readonly colors: ReadonlyMap<string, string>;
  readonly range: TimeRange;
  readonly width: number;
  readonly x: (at: number) => number;
  readonly onHover: (text: string) => void;
}

/** A row of the timeline: a number with its periods and calls in the visible range. */
export function TimelineRow({ row, calls, colors, range, width, x, onHover }: TimelineRowProps) {
  const number = formatPhoneNumber(row.number);
  const periods = row.periods.filter(({ from, to }) => to >= range.from && from <= range.to);
  const hoverHandlers = (text: string) => ({
    onPointerEnter: () => onHover(`${number}: ${text}`),
    onPointerLeave: () => onHover(""),
  });
  return (
    <>
      <span class="timeline-label">{number}</span>
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={`${number}: ${periods.map(periodText).join("; ") || "not in the pool"}`}
      >
        {periods.map((period) => (
          <PeriodMark
            key={period.from}
            {...{ period, width, x, hoverHandlers }}
            color={colors.get(period.source ?? "")}
          />
        ))}
        {calls.map((call) => (
          <CallMark key={call.id} {...{ call, range, x, hoverHandlers }} />
        ))}
      </svg>
    </>
  );
}

interface MarkProps {
  readonly x: (at: number) => number;
  /** Returns handlers that show a text while the pointer is over a mark. */
  readonly hoverHandlers: (text: string) => Readonly<Record<"onPointerEnter" | "onPointerLeave", () => void>>;
}

interface PeriodMarkProps extends MarkProps {
  readonly period: StatusPeriod;
  readonly width: number;
  readonly color: string | undefined;
}

function PeriodMark({ period, width, color, x, hoverHandlers }: PeriodMarkProps) {
  const left = Math.max(x(period.from), 0);
  const right = Math.max(Math.min(x(period.to), width), left + MIN_PERIOD_PX);
  const text = period.source ?? "";
  const fits = Math.floor((right - left - 8) / CHARACTER_PX);
  return (
    <g class={`period period-${period.status} ${color ?? ""}`} {...hoverHandlers(periodDetail(period))}>
      <rect x={left} y={PERIOD_TOP} width={right - left} height={PERIOD_PX} rx="3" />
      {text !== "" && fits >= 3 && (
        <text x={left + 5} y={PERIOD_TOP + 12.5}>
          {text.length > fits ? `${text.slice(0, fits - 1)}…` : text}
        </text>
      )}
    </g>
  );
}

interface CallMarkProps extends MarkProps {
  readonly call: Call;
  readonly range: TimeRange;
}

function CallMark({ call, range, x, hoverHandlers }: CallMarkProps) {
  const at = call.startedAt === undefined ? 0 : timestampMs(call.startedAt);
  if (at < range.from || at > range.to) return null;
  return (
    <path
      class="call-mark"
      d={`M${x(at)},${PERIOD_TOP + PERIOD_PX + 1}l-3,6h6z`}
      {...hoverHandlers(callDetail(call, at))}
    />
  );
}

function callDetail({ outcome, callerNumber }: Call, at: number): string {
  const caller = callerNumber ?? "an unknown number";
  return `call ${formatEnumValueAsWords(CallOutcomeSchema, outcome)}, ${formatTime(at)}, from ${caller}`;
}

function periodText({ source, status }: StatusPeriod): string {
  return source === undefined ? status : `${status} for ${source}`;
}

function periodDetail(period: StatusPeriod): string {
  return `${periodText(period)}, ${formatTime(period.from)} to ${formatTime(period.to)}: ${period.reason}`;
}
