import { type Executor, isUniqueViolation } from "@calltrack/postgres";
import { deleteInChunks } from "../../database/delete-in-chunks.js";
import { findSoleAccountId } from "../../database/distribution/find-sole-account-id.js";
import { makePropertyPoolsDue } from "../../pool-management/pass-repository.js";
import {
  type GroupedVisitRecord,
  type GroupedVisits,
  groupVisits,
  type VisitBatch,
  type VisitBatchResult,
  type VisitGroup,
} from "./visit-groups.js";
import {
  type PrunableVisitDay,
  type RecordVisitsResultRow,
  recordVisitsOfAccountStatement,
  recordVisitsStatement,
} from "./visit-statements.js";
import {
  deleteVisitDayStatement,
  deleteVisitEventsStatement,
  listExpiredVisitDaysStatement,
  pruneVisitPropertiesStatement,
  pruneVisitSourcesStatement,
} from "./visit-upkeep-statements.js";

/** The maximum number of sources per property, and of properties without pools per account, that are counted on one day. */
export const DAILY_VISIT_LIMITS = { sourcesPerDay: 10_000, propertiesPerDay: 1000 };

/** How long event ids are kept for deduplication. */
const EVENTS_KEPT_MS = 2 * 24 * 60 * 60 * 1000;

/** How many event ids, or days of properties, one chunk deletes. */
const CHUNK = { events: 5000, days: 100 };

export interface VisitCountingRules {
  readonly visitWindowDays: number;
  /** The maximum time from a visit until the pools of its property are due for a pass, in milliseconds. */
  readonly dueWithinMs: number;
  /** The maximum number of sources per property and day, at least 2. If exceeded, only half as many are kept: those with the most visits. */
  readonly sourcesPerDay: number;
  /** The maximum number of properties without pools per account and day. If exceeded, only half as many are kept: those with the most visits. */
  readonly propertiesPerDay: number;
}

interface CountedVisits {
  /** One result for each batch. */
  readonly results: VisitBatchResult[];
  readonly effects: VisitEffects;
}

/**
 * Counts visits atomically in one statement. Skips records from before the visit window, and records whose `eventId` was counted for the
 * account in the last two days, or earlier in `batches`. Call `applyVisitEffects` afterwards.
 */
export async function recordVisits(
  db: Executor,
  batches: readonly VisitBatch[],
  rules: VisitCountingRules,
): Promise<CountedVisits> {
  const grouped = groupVisits(batches, rules.visitWindowDays);
  const rows = grouped.records.length === 0 ? [] : await countGroups(db, grouped, rules);
  for (const { place } of rows) {
    if (place === null) continue;
    const { result } = grouped.records[Number(place) - 1] as GroupedVisitRecord;
    result.recorded--;
    result.duplicates++;
  }
  const { results, groups } = grouped;
  return { results, effects: { properties: propertiesOf(groups), days: rows.filter(isDay) } };
}

/** The properties and days that counted visits affect. */
export interface VisitEffects {
  /** Properties with visits, even if all of them were duplicates. */
  readonly properties: readonly VisitedProperty[];
  /** Days that may exceed a limit. */
  readonly days: readonly PrunableVisitDay[];
}

type VisitedProperty = Pick<VisitGroup, "accountId" | "propertyToken">;

/** Makes the pools of visited properties due for a pass within `dueWithinMs`, and then prunes days that exceed a visit limit. */
export async function applyVisitEffects(
  db: Executor,
  effects: readonly VisitEffects[],
  rules: VisitCountingRules,
): Promise<void> {
  const properties = propertiesOf(effects.flatMap((each) => each.properties));
  await makePropertyPoolsDue(db, properties, rules.dueWithinMs);
  await prune(
    db,
    effects.flatMap(({ days }) => days),
    rules,
  );
}

/**
 * Deletes visit counts of days before the visit window, and event ids that are two days old. Call this function periodically.
 *
 * @returns how many days of properties, and how many event ids, were deleted.
 */
export async function deleteExpiredVisits(
  db: Executor,
  { visitWindowDays }: { readonly visitWindowDays: number },
): Promise<{ readonly days: number; readonly events: number }> {
  return {
    events: await deleteInChunks(CHUNK.events, (limit) =>
      deleteVisitEventsStatement(db, { keptMs: EVENTS_KEPT_MS, limit }),
    ),
    days: await deleteInChunks(CHUNK.days, (limit) => deleteExpiredDays(db, visitWindowDays, limit)),
  };
}

async function deleteExpiredDays(db: Executor, windowDays: number, limit: number): Promise<readonly unknown[]> {
  const days = await listExpiredVisitDaysStatement(db, { windowDays, limit });
  for (const day of days) await deleteVisitDayStatement(db, day);
  return days;
}

async function countGroups(
  db: Executor,
  { groups, records }: GroupedVisits,
  { sourcesPerDay }: VisitCountingRules,
): Promise<RecordVisitsResultRow[]> {
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
  const accountId = findSoleAccountId(accountIds);
  for (;;) {
    try {
      if (accountId !== undefined) return await recordVisitsOfAccountStatement(db, { ...parameters, accountId });
      return await recordVisitsStatement(db, { ...parameters, accountIds });
    } catch (error) {
      // A concurrent statement has counted one of the records. The next attempt skips that record.
      if (!isUniqueViolation(error, "visit_events_pkey")) throw error;
    }
  }
}

/** Returns each property once, in the same order on all servers. Statements lock the pools in this order, so that they cannot deadlock. */
function propertiesOf(visited: readonly VisitedProperty[]): VisitedProperty[] {
  const properties = new Map(visited.map((each) => [`${each.accountId} ${each.propertyToken}`, each]));
  return [...properties].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, property]) => property);
}

function isDay(row: RecordVisitsResultRow): row is Extract<RecordVisitsResultRow, PrunableVisitDay> {
  return row.place === null;
}

/**
 * Prunes days over the limits, so that a flood of rare sources or properties cannot displace frequent ones. On a day with too many sources,
 * drops those with the fewest visits, and counts their visits without a source. If an account has too many properties without pools, drops
 * those with the fewest visits.
 */
async function prune(
  db: Executor,
  days: readonly PrunableVisitDay[],
  { sourcesPerDay, propertiesPerDay }: VisitCountingRules,
): Promise<void> {
  const kept = Math.floor(sourcesPerDay / 2);
  const crowded = days.filter(({ sources }) => sources > sourcesPerDay);
  const each = new Map(crowded.map((day) => [`${day.account_id} ${day.property_token} ${day.day}`, day]));
  for (const day of each.values()) await pruneVisitSourcesStatement(db, { ...day, kept });
  const fresh = days.filter(({ is_new }) => is_new);
  for (const ofAccount of Map.groupBy(fresh, ({ account_id, day }) => `${account_id} ${day}`).values()) {
    const [{ account_id: accountId, day }] = ofAccount as [PrunableVisitDay];
    const propertyTokens = ofAccount.map(({ property_token }) => property_token);
    await pruneVisitPropertiesStatement(db, { accountId, day, propertyTokens, maxProperties: propertiesPerDay });
  }
}

/** Formats an array literal from values that need no quoting, which is much faster than `pg`'s conversion of arrays. */
function arrayLiteral(values: readonly (string | number)[]): string {
  return `{${values.join()}}`;
}
