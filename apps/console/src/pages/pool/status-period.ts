import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type CallTrackerChange, CallTrackerChangeKind as Kind } from "@calltrack/domain/gen/calltracking/v1/pool_pb";

/** A period in which a tracking number had one status and source in a pool. Times are in milliseconds since 1970. */
export interface StatusPeriod {
  readonly from: number;
  readonly to: number;
  readonly status: "available" | "active" | "flagged";
  /** The source and medium, such as `google / cpc`; undefined if the number had no source. */
  readonly source: string | undefined;
  /** Why the period began, as a phrase. */
  readonly reason: string;
}

/** A tracking number of a pool, with its periods in chronological order. */
export interface TrackingNumberHistory {
  readonly number: string;
  readonly periods: readonly StatusPeriod[];
}

/** The status of a call tracker after each kind of change. Kinds without an entry do not change the status. */
export const STATUS_AFTER_CHANGE: Partial<Record<Kind, StatusPeriod["status"] | "deleted">> = {
  [Kind.ADDED]: "available",
  [Kind.ACTIVATED]: "active",
  [Kind.FLAGGED]: "flagged",
  [Kind.UNFLAGGED]: "active",
  [Kind.DEACTIVATED]: "available",
  [Kind.DELETED]: "deleted",
};

/**
 * Derives the history of each tracking number from the changes of a pool.
 *
 * @param changes in chronological order.
 * @param now the end of the periods that have not ended, in milliseconds since 1970.
 */
export function deriveTrackingNumberHistories(
  changes: readonly CallTrackerChange[],
  now: number,
): readonly TrackingNumberHistory[] {
  const numbers = new Map<string, StatusPeriod[]>();
  for (const { trackingNumber, kind, occurredAt, source, medium, reason } of changes) {
    const after = STATUS_AFTER_CHANGE[kind];
    if (after === undefined) continue;
    const at = occurredAt === undefined ? now : timestampMs(occurredAt);
    const periods = numbers.get(trackingNumber) ?? [];
    numbers.set(trackingNumber, periods);
    const last = periods.pop();
    // Omits a period that ended at the time at which it began.
    if (last !== undefined && last.from < at) periods.push(last.to > at ? { ...last, to: at } : last);
    if (after === "deleted") continue;
    const held = after === "available" || source === undefined ? undefined : `${source} / ${medium}`;
    periods.push({ from: at, to: now, status: after, source: held, reason });
  }
  return Array.from(numbers, ([number, periods]) => ({ number, periods }));
}
