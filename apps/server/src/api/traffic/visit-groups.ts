import { hash } from "node:crypto";
import type { NewVisitRecord } from "@calltrack/domain";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Visits of one account to count together. */
export interface VisitBatch {
  readonly accountId: number;
  readonly visits: readonly NewVisitRecord[];
  /** The time of the pool clock when the request arrived. */
  readonly now: Date;
}

/** Identifies a visit count: the visits from one source to one property on one UTC day. */
export interface VisitGroup {
  readonly accountId: number;
  readonly propertyToken: string;
  /** In the format `2026-11-21`. */
  readonly day: string;
  readonly source: string;
  readonly medium: string;
}

/** The number of counted, duplicate and expired records in a batch. */
export interface VisitBatchResult {
  recorded: number;
  duplicates: number;
  expired: number;
}

/** A record of visits, which an earlier request may have counted. */
export interface GroupedVisitRecord {
  /** The result of `eventKeyOf` for the record's `eventId`. */
  readonly eventKey: string;
  /** The index of the record's group in `GroupedVisits.groups`. */
  readonly group: number;
  readonly visits: number;
  /** The result of the batch that contains the record. */
  readonly result: VisitBatchResult;
}

/** The records of several batches, assigned to groups. */
export interface GroupedVisits {
  /** Sorted, so that concurrent statements lock the visit counts in the same order and cannot deadlock. */
  readonly groups: readonly VisitGroup[];
  /** Event keys are unique within an account. */
  readonly records: readonly GroupedVisitRecord[];
  /** The result of each batch. A record counts as a duplicate if an earlier record of the account has the same `eventId`. */
  readonly results: VisitBatchResult[];
}

/**
 * Groups the records in batches by account, property, source and UTC day. Must be fast: a busy server processes a hundred thousand records a
 * second.
 *
 * @param windowDays the length of the visit window in UTC days, including today.
 */
export function groupVisits(batches: readonly VisitBatch[], windowDays: number): GroupedVisits {
  const groups = new Map<string, VisitGroup>();
  const records = new Map<string, { eventKey: string; key: string; visits: number; result: VisitBatchResult }>();
  const results = batches.map(({ accountId, visits, now }) => {
    const result = { recorded: 0, duplicates: 0, expired: 0 };
    const firstDay = dayNumberOf(now) - windowDays + 1;
    for (const { eventId, propertyToken, source, medium, count, occurredAt } of visits) {
      const dayNumber = dayNumberOf(occurredAt);
      if (dayNumber < firstDay) {
        result.expired++;
        continue;
      }
      const eventKey = eventKeyOf(eventId);
      const name = `${accountId} ${eventKey}`;
      if (records.has(name)) {
        result.duplicates++;
        continue;
      }
      // NUL is a safe separator, because valid requests contain none.
      const key = `${accountId}\0${propertyToken}\0${dayNumber}\0${source}\0${medium}`;
      if (!groups.has(key)) groups.set(key, { accountId, propertyToken, day: dayOf(dayNumber), source, medium });
      records.set(name, { eventKey, key, visits: count, result });
      result.recorded++;
    }
    return result;
  });
  const keys = [...groups.keys()].sort();
  const places = new Map(keys.map((key, place) => [key, place]));
  return {
    groups: keys.map((key) => groups.get(key) as VisitGroup),
    records: Array.from(records.values(), ({ eventKey, key, visits, result }) => ({
      eventKey,
      group: places.get(key) as number,
      visits,
      result,
    })),
    results,
  };
}

/** A lowercase UUID of version 1 to 8 (RFC 9562). */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Returns a UUID that identifies an `eventId`. A UUID stays unchanged, because time-ordered UUIDs, such as version 7, are adjacent in the
 * index. Random keys would cost more than twice as much. Any other `eventId` is hashed with SHA-256 to a UUID of the unused version 15.
 */
function eventKeyOf(eventId: string): string {
  if (UUID.test(eventId)) return eventId;
  const hashed = hash("sha256", eventId, "hex");
  return `${hashed.slice(0, 12)}f${hashed.slice(13, 32)}`;
}

/** Returns the UTC day as the number of days since the Unix epoch. */
function dayNumberOf(moment: Date): number {
  return Math.floor(moment.getTime() / DAY_MS);
}

/** Formats a day number as `2026-11-21`. */
function dayOf(dayNumber: number): string {
  return new Date(dayNumber * DAY_MS).toISOString().slice(0, 10);
}
