import { type Executor, isUniqueViolation } from "@calltrack/postgres";
import { deleteInChunks } from "../../database/delete-in-chunks.js";
import { findSoleAccount } from "../../database/distribution/find-sole-account.js";
import { makePoolsDue } from "../../pool-management/pass-repository.js";
import {
  type GroupedRecord,
  type GroupedVisits,
  groupVisits,
  type RecordedVisits,
  type VisitBatch,
  type VisitGroup,
} from "./visit-groups.js";
import {
  type RecordedDay,
  type RecordResultRow,
  recordVisitsOfAccountStatement,
  recordVisitsStatement,
} from "./visit-statements.js";
import {
  deleteDayStatement,
  deleteEventsStatement,
  expiredDaysStatement,
  prunePropertiesStatement,
  pruneSourcesStatement,
} from "./visit-upkeep-statements.js";

/** Limits of the sources per property and of the properties per account that are counted on one day. */
export const VISIT_LIMITS = { sourcesPerDay: 10_000, propertiesPerDay: 1000 };

/** How long event ids are kept for deduplication. */
const EVENTS_KEPT_MS = 2 * 24 * 60 * 60 * 1000;

/** Event ids and days of properties deleted per batch. */
const CHUNK = { events: 5000, days: 100 };

/** Rules for counting visits. */
export interface CountingRules {
  readonly visitWindowDays: number;
  /** Visits make the pools of their property due within this time, in milliseconds. */
  readonly dueWithinMs: number;
  /**
   * Maximum number of sources of a property per day, at least 2. Beyond it, only the half with the most visits is
   * kept apart.
   */
  readonly sourcesPerDay: number;
  /**
   * Maximum number of properties per account and day that no pool uses. Beyond it, only the half with the most visits
   * is kept.
   */
  readonly propertiesPerDay: number;
}

/** The outcome of a statement that counted visits. */
interface CountedVisits {
  /** The result of each batch. */
  readonly results: RecordedVisits[];
  readonly effects: VisitEffects;
}

/**
 * Counts visits atomically in one statement. Skips records that are older than the visit window. Also skips records
 * whose `eventId` was counted for the account in the last two days, or earlier in this call. Call `applyEffects` afterwards.
 */
export async function recordVisits(
  db: Executor,
  batches: readonly VisitBatch[],
  rules: CountingRules,
): Promise<CountedVisits> {
  const grouped = groupVisits(batches, rules.visitWindowDays);
  const rows = grouped.records.length === 0 ? [] : await countGroups(db, grouped, rules);
  for (const { place } of rows) {
    if (place === null) continue;
    const { result } = grouped.records[Number(place) - 1] as GroupedRecord;
    result.recorded--;
    result.duplicates++;
  }
  const { results, groups } = grouped;
  return { results, effects: { properties: propertiesOf(groups), days: rows.filter(isDay) } };
}

/** The properties and days that counted visits affect. */
export interface VisitEffects {
  /** Properties with visits, among them those whose visits were all duplicates. */
  readonly properties: readonly VisitedProperty[];
  /** Days that may exceed a limit. */
  readonly days: readonly RecordedDay[];
}

/** A property with counted visits. */
type VisitedProperty = Pick<VisitGroup, "accountId" | "propertyToken">;

/** Makes the pools of visited properties due within `dueWithinMs`, and then prunes days over the limits. */
export async function applyEffects(
  db: Executor,
  effects: readonly VisitEffects[],
  rules: CountingRules,
): Promise<void> {
  const properties = propertiesOf(effects.flatMap((each) => each.properties));
  await makePoolsDue(db, properties, rules.dueWithinMs);
  await prune(
    db,
    effects.flatMap(({ days }) => days),
    rules,
  );
}

/**
 * Deletes expired visits: days before the visit window, and event ids that are two days old. Call it periodically.
 *
 * @returns the number of deleted days of properties and of deleted event ids.
 */
export async function deleteExpiredVisits(
  db: Executor,
  { visitWindowDays }: { readonly visitWindowDays: number },
): Promise<{ readonly days: number; readonly events: number }> {
  return {
    events: await deleteInChunks(CHUNK.events, (limit) => deleteEventsStatement(db, { keptMs: EVENTS_KEPT_MS, limit })),
    days: await deleteInChunks(CHUNK.days, (limit) => deleteExpiredDays(db, visitWindowDays, limit)),
  };
}

async function deleteExpiredDays(db: Executor, windowDays: number, limit: number): Promise<readonly unknown[]> {
  const days = await expiredDaysStatement(db, { windowDays, limit });
  for (const day of days) await deleteDayStatement(db, day);
  return days;
}

async function countGroups(
  db: Executor,
  { groups, records }: GroupedVisits,
  { sourcesPerDay }: CountingRules,
): Promise<RecordResultRow[]> {
  const parameters = {
    eventKeys: arrayLiteral(records.map((record) => record.eventKey)),
    groups: arrayLiteral(records.map((record) => record.group + 1)),
    visits: arrayLiteral(records.map((record) => record.visits)),
    propertyTokens: groups.map((group) => group.propertyToken),
    days: groups.map((group) => group.day),
    sources: groups.map((group) => group.source),
    mediums: groups.map((group) => group.medium),
    maxSources: sourcesPerDay,
  };
  const accountIds = groups.map((group) => group.accountId);
  const accountId = findSoleAccount(accountIds);
  for (;;) {
    try {
      if (accountId !== undefined) return await recordVisitsOfAccountStatement(db, { ...parameters, accountId });
      return await recordVisitsStatement(db, { ...parameters, accountIds });
    } catch (error) {
      // A concurrent statement has counted one of the records. The next attempt sees it.
      if (!isUniqueViolation(error, "visit_events_pkey")) throw error;
    }
  }
}

/** Returns each property once, in an order that all servers share, because their statements lock the pools in this order. */
function propertiesOf(visited: readonly VisitedProperty[]): VisitedProperty[] {
  const properties = new Map(visited.map((each) => [`${each.accountId} ${each.propertyToken}`, each]));
  return [...properties].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, property]) => property);
}

function isDay(row: RecordResultRow): row is Extract<RecordResultRow, RecordedDay> {
  return row.place === null;
}

/**
 * Prunes days over the limits. Drops the sources with the fewest visits of crowded days, and counts their visits
 * without source. If an account has too many properties that no pool uses, drops those with the fewest visits. A
 * flood of rare sources or properties therefore cannot displace frequent ones.
 */
async function prune(
  db: Executor,
  days: readonly RecordedDay[],
  { sourcesPerDay, propertiesPerDay }: CountingRules,
): Promise<void> {
  const kept = Math.floor(sourcesPerDay / 2);
  const crowded = days.filter(({ sources }) => sources > sourcesPerDay);
  const each = new Map(crowded.map((day) => [`${day.account_id} ${day.property_token} ${day.day}`, day]));
  for (const day of each.values()) await pruneSourcesStatement(db, { ...day, kept });
  const fresh = days.filter(({ is_new }) => is_new);
  for (const ofAccount of Map.groupBy(fresh, ({ account_id, day }) => `${account_id} ${day}`).values()) {
    const [{ account_id: accountId, day }] = ofAccount as [RecordedDay];
    const propertyTokens = ofAccount.map(({ property_token }) => property_token);
    await prunePropertiesStatement(db, { accountId, day, propertyTokens, maxProperties: propertiesPerDay });
  }
}

/** Formats an array literal of values that need no quoting. Much faster than `pg`'s conversion of arrays. */
function arrayLiteral(values: readonly (string | number)[]): string {
  return `{${values.join()}}`;
}
