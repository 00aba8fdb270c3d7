import { hash } from "node:crypto";
import type { Visits } from "@calltrack/domain";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Visits of one account. */
export interface VisitBatch {
  readonly accountId: number;
  readonly visits: readonly Visits[];
  /** The time by which they are counted. */
  readonly now: Date;
}

/** What is counted together: the visits of one source of a property on one UTC day. */
export interface VisitGroup {
  readonly accountId: number;
  readonly propertyToken: string;
  /** `2026-11-21` */
  readonly day: string;
  readonly source: string;
  readonly medium: string;
}

/** A record that may have been counted already. */
export interface GroupedRecord {
  /** See `eventKeyOf`. */
  readonly eventKey: string;
  readonly group: number;
  readonly visits: number;
  /** The index of its batch. */
  readonly batch: number;
}

/** The records of batches, each with its group, and what is known of the others. */
export interface GroupedVisits {
  /** The one order in which everybody counts, so that nobody waits for somebody who waits for them. */
  readonly groups: readonly VisitGroup[];
  /** No two of an account have one key. */
  readonly records: readonly GroupedRecord[];
  /** For each batch, how many of its records are in none of `records` as an earlier one has their `eventId`. */
  readonly duplicates: number[];
  /** For each batch, how many are not as they are older than the visit window. */
  readonly expired: number[];
}

/**
 * Groups the records of batches by what they count for. It runs a hundred thousand times a second on a busy server.
 *
 * @param windowDays how many UTC days the visit window has, today included.
 */
export function groupVisits(batches: readonly VisitBatch[], windowDays: number): GroupedVisits {
  const groups = new Map<string, VisitGroup>();
  const records = new Map<string, { eventKey: string; key: string; visits: number; batch: number }>();
  const duplicates = batches.map(() => 0);
  const expired = batches.map(() => 0);
  batches.forEach(({ accountId, visits, now }, batch) => {
    const firstDay = dayNumberOf(now) - windowDays + 1;
    for (const { eventId, propertyToken, source, medium, count, occurredAt } of visits) {
      const dayNumber = dayNumberOf(occurredAt);
      if (dayNumber < firstDay) {
        expired[batch] = (expired[batch] ?? 0) + 1;
        continue;
      }
      const eventKey = eventKeyOf(eventId);
      const name = `${accountId} ${eventKey}`;
      if (records.has(name)) {
        duplicates[batch] = (duplicates[batch] ?? 0) + 1;
        continue;
      }
      // None of the texts has a NUL in it.
      const key = `${accountId}\0${propertyToken}\0${dayNumber}\0${source}\0${medium}`;
      if (!groups.has(key)) groups.set(key, { accountId, propertyToken, day: dayOf(dayNumber), source, medium });
      records.set(name, { eventKey, key, visits: count, batch });
    }
  });
  const keys = [...groups.keys()].sort();
  const places = new Map(keys.map((key, place) => [key, place]));
  return {
    groups: keys.map((key) => groups.get(key) as VisitGroup),
    records: Array.from(records.values(), ({ eventKey, key, visits, batch }) => ({
      eventKey,
      group: places.get(key) as number,
      visits,
      batch,
    })),
    duplicates,
    expired,
  };
}

/** A UUID of a version that there is (RFC 9562), as most write it. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * A UUID that names an `eventId` and no other. One that is a UUID is its own: those that begin with a time, such as version 7,
 * stay side by side in the index, where a random one costs more than twice as much. Of everything else it is made of the SHA-256,
 * with a version that there is not.
 */
function eventKeyOf(eventId: string): string {
  if (UUID.test(eventId)) return eventId;
  const hashed = hash("sha256", eventId, "hex");
  return `${hashed.slice(0, 12)}f${hashed.slice(13, 32)}`;
}

/** The number of the UTC day of a moment. */
function dayNumberOf(moment: Date): number {
  return Math.floor(moment.getTime() / DAY_MS);
}

/** `2026-11-21` */
function dayOf(dayNumber: number): string {
  return new Date(dayNumber * DAY_MS).toISOString().slice(0, 10);
}
