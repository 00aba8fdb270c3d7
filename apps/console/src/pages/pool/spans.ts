import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type CallTrackerChange, CallTrackerChangeKind as Kind } from "@calltrack/domain/gen/calltracking/v1/pool_pb";

/** A time for which a call tracker had one status and source. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly status: "available" | "active" | "flagged";
  /** The source and medium, such as `google / cpc`; undefined if the call tracker had none. */
  readonly source: string | undefined;
  /** Why it began, in words. */
  readonly reason: string;
}

/** A number of a pool with its spans, in order of time. */
export interface NumberSpans {
  readonly number: string;
  readonly spans: readonly Span[];
}

/** The status of a call tracker after a change; undefined if the change leaves it as it was. */
export const STATUS_AFTER: Partial<Record<Kind, Span["status"] | "deleted">> = {
  [Kind.ADDED]: "available",
  [Kind.ACTIVATED]: "active",
  [Kind.FLAGGED]: "flagged",
  [Kind.UNFLAGGED]: "active",
  [Kind.DEACTIVATED]: "available",
  [Kind.DELETED]: "deleted",
};

/**
 * Turns the history of a pool into spans of its numbers.
 *
 * @param changes in order of time.
 * @param now the end of spans that have not ended.
 */
export function spansOf(changes: readonly CallTrackerChange[], now: number): readonly NumberSpans[] {
  const numbers = new Map<string, Span[]>();
  for (const { trackingNumber, kind, occurredAt, source, medium, reason } of changes) {
    const after = STATUS_AFTER[kind];
    if (after === undefined) continue;
    const at = occurredAt === undefined ? now : timestampMs(occurredAt);
    const spans = numbers.get(trackingNumber) ?? [];
    numbers.set(trackingNumber, spans);
    const last = spans.pop();
    // A span without length is left out, except that it may have begun the history.
    if (last !== undefined && last.from < at) spans.push(last.to > at ? { ...last, to: at } : last);
    if (after === "deleted") continue;
    const held = after === "available" || source === undefined ? undefined : `${source} / ${medium}`;
    spans.push({ from: at, to: now, status: after, source: held, reason });
  }
  return Array.from(numbers, ([number, spans]) => ({ number, spans }));
}
