import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Call, CallOutcomeSchema } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { enumText } from "../../format/enum-text";
import { phoneNumberText } from "../../format/phone-number-text";
import { timeText } from "../../format/time-text";
import type { NumberSpans, Span } from "./spans";
import type { TimeRange } from "./zoom-buttons";

const HEIGHT = 28;
const SPAN_TOP = 3;
const SPAN_PX = 17;
const CHARACTER_PX = 7;
const MIN_SPAN_PX = 1.5;

interface TimelineRowProps {
  readonly row: NumberSpans;
  readonly calls: readonly Call[];
  readonly colors: ReadonlyMap<string, string>;
  readonly range: TimeRange;
  readonly width: number;
  readonly x: (at: number) => number;
  readonly onHover: (text: string) => void;
}

/** A number with its spans and calls in the shown time. */
export function TimelineRow({ row, calls, colors, range, width, x, onHover }: TimelineRowProps) {
  const number = phoneNumberText(row.number);
  const spans = row.spans.filter(({ from, to }) => to >= range.from && from <= range.to);
  const tellOf = (text: string) => ({
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
        aria-label={`${number}: ${spans.map(spanText).join("; ") || "not in the pool"}`}
      >
        {spans.map((span) => (
          <SpanMark key={span.from} {...{ span, width, x, tellOf }} color={colors.get(span.source ?? "")} />
        ))}
        {calls.map((call) => (
          <CallMark key={call.id} {...{ call, range, x, tellOf }} />
        ))}
      </svg>
    </>
  );
}

interface MarkProps {
  readonly x: (at: number) => number;
  /** Returns the attributes of a mark whose text is shown while it is pointed at. */
  readonly tellOf: (text: string) => Readonly<Record<"onPointerEnter" | "onPointerLeave", () => void>>;
}

interface SpanMarkProps extends MarkProps {
  readonly span: Span;
  readonly width: number;
  readonly color: string | undefined;
}

function SpanMark({ span, width, color, x, tellOf }: SpanMarkProps) {
  const left = Math.max(x(span.from), 0);
  const right = Math.max(Math.min(x(span.to), width), left + MIN_SPAN_PX);
  const text = span.source ?? "";
  const fits = Math.floor((right - left - 8) / CHARACTER_PX);
  return (
    <g class={`span span-${span.status} ${color ?? ""}`} {...tellOf(spanDetail(span))}>
      <rect x={left} y={SPAN_TOP} width={right - left} height={SPAN_PX} rx="3" />
      {text !== "" && fits >= 3 && (
        <text x={left + 5} y={SPAN_TOP + 12.5}>
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

function CallMark({ call, range, x, tellOf }: CallMarkProps) {
  const at = call.startedAt === undefined ? 0 : timestampMs(call.startedAt);
  if (at < range.from || at > range.to) return null;
  return <path class="call-mark" d={`M${x(at)},${SPAN_TOP + SPAN_PX + 1}l-3,6h6z`} {...tellOf(callDetail(call, at))} />;
}

function callDetail({ outcome, callerNumber }: Call, at: number): string {
  const caller = callerNumber ?? "a caller without a number";
  return `call ${enumText(CallOutcomeSchema, outcome)}, ${timeText(at)}, from ${caller}`;
}

function spanText({ source, status }: Span): string {
  return source === undefined ? status : `${status} for ${source}`;
}

function spanDetail(span: Span): string {
  return `${spanText(span)}, ${timeText(span.from)} to ${timeText(span.to)}: ${span.reason}`;
}
