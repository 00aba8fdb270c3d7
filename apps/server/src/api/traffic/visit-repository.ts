import { type Executor, isUniqueViolation } from "@calltrack/postgres";
import { deleteInChunks } from "../../database/delete-in-chunks.js";
import { soleAccount } from "../../database/distribution/sole-account.js";
import { makePoolsDue } from "../../pool-management/pass-repository.js";
import { type GroupedVisits, groupVisits, type VisitBatch, type VisitGroup } from "./visit-groups.js";
import {
  propertyAccountsStatement,
  type RecordedDay,
  type RecordRow,
  recordOfAccountStatement,
  recordStatement,
} from "./visit-statements.js";
import {
  deleteDayStatement,
  deleteEventsStatement,
  expiredDaysStatement,
  prunePropertiesStatement,
  pruneSourcesStatement,
} from "./visit-upkeep-statements.js";

/** What is counted at most of a day, where nothing else is set. */
export const VISIT_LIMITS = { sourcesPerDay: 10_000, propertiesPerDay: 1000 };

/** For how long a record is known that is sent again. */
const EVENTS_KEPT_MS = 2 * 24 * 60 * 60 * 1000;

/** How much is deleted at a time. */
const CHUNK = { events: 5000, days: 100 };

/** How visits are counted. */
export interface CountingRules {
  readonly visitWindowDays: number;
  /** Visits make the pools of their property due within this. */
  readonly dueWithinMs: number;
  /** A day with more sources keeps only the half of them with the most visits apart; at least 2. */
  readonly sourcesPerDay: number;
  /** A day with more properties of an account that none of its pools has keeps only the half of them with the most visits. */
  readonly propertiesPerDay: number;
}

/** What became of the records of a batch. */
export interface RecordedVisits {
  readonly recorded: number;
  readonly duplicates: number;
  readonly expired: number;
}

/**
 * Counts visits in one statement: all of them, or none if it fails. A record whose `eventId` was counted for its account in the
 * last two days is passed over, also if that was in this call; so is one that is older than the visit window. The pools of
 * the properties are due within the time that the rules say; should the call fail before it comes to that, it does when it is repeated.
 *
 * @returns what became of each batch.
 */
export async function recordVisits(
  db: Executor,
  batches: readonly VisitBatch[],
  rules: CountingRules,
): Promise<RecordedVisits[]> {
  const grouped = groupVisits(batches, rules.visitWindowDays);
  const rows = grouped.records.length === 0 ? [] : await countGroups(db, grouped, rules);
  const duplicates = [...grouped.duplicates];
  for (const { place } of rows) {
    const batch = place === null ? undefined : grouped.records[Number(place) - 1]?.batch;
    if (batch !== undefined) duplicates[batch] = (duplicates[batch] ?? 0) + 1;
  }
  await prune(db, rows.filter(isDay), rules);
  await makePoolsDue(db, propertiesOf(grouped.groups), rules.dueWithinMs);
  return batches.map(({ visits }, index) => {
    const [passedOver = 0, tooOld = 0] = [duplicates[index], grouped.expired[index]];
    return { recorded: visits.length - passedOver - tooOld, duplicates: passedOver, expired: tooOld };
  });
}

/** The ids of the accounts that have a pool for dynamic number insertion on a property, smallest first. */
export async function findAccountsOfProperty(db: Executor, propertyToken: string): Promise<number[]> {
  return (await propertyAccountsStatement(db, { propertyToken })).map((row) => row.account_id);
}

/**
 * Deletes what is known of visits that count for nothing any more: the days before the visit window, and the names of records
 * that are two days old. Call it now and then.
 *
 * @returns how many days of properties and names of records it deleted.
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
): Promise<RecordRow[]> {
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
  const accountId = soleAccount(accountIds);
  for (;;) {
    try {
      if (accountId !== undefined) return await recordOfAccountStatement(db, { ...parameters, accountId });
      return await recordStatement(db, { ...parameters, accountIds });
    } catch (error) {
      // Another statement has counted one of the records since this one began: when it looks again, it sees that.
      if (!isUniqueViolation(error, "visit_events_pkey")) throw error;
    }
  }
}

/** A group of each property, in the order of the groups. */
function propertiesOf(groups: readonly VisitGroup[]): VisitGroup[] {
  return [...new Map(groups.map((group) => [`${group.accountId} ${group.propertyToken}`, group])).values()];
}

function isDay(row: RecordRow): row is Extract<RecordRow, RecordedDay> {
  return row.place === null;
}

/**
 * Drops the sources of crowded days with the fewest visits, and counts their visits without their source; and where an account
 * has visits of too many properties that none of its pools has, those properties with the fewest. What brings many visits
 * stays, whatever else is sent.
 */
async function prune(
  db: Executor,
  days: readonly RecordedDay[],
  { sourcesPerDay, propertiesPerDay }: CountingRules,
): Promise<void> {
  const fresh = new Map<string, { accountId: number; day: string; propertyTokens: string[] }>();
  for (const { account_id: accountId, property_token: propertyToken, day, sources, is_new } of days) {
    if (sources > sourcesPerDay)
      await pruneSourcesStatement(db, { accountId, propertyToken, day, kept: Math.floor(sourcesPerDay / 2) });
    if (!is_new) continue;
    const key = `${accountId} ${day}`;
    const ofAccount = fresh.get(key);
    if (ofAccount === undefined) fresh.set(key, { accountId, day, propertyTokens: [propertyToken] });
    else ofAccount.propertyTokens.push(propertyToken);
  }
  for (const each of fresh.values()) await prunePropertiesStatement(db, { ...each, maxProperties: propertiesPerDay });
}

/** The literal of an array of texts that need no quotes: much faster to make than what `pg` makes of an array. */
function arrayLiteral(values: readonly (string | number)[]): string {
  return `{${values.join()}}`;
}
