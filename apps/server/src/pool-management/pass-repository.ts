import type { PassOutcome, PassTracker, TrackerChange } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { findSoleAccountId } from "../database/distribution/find-sole-account-id.js";
import type { NumberPurchase } from "./number-carrier.js";
import { countFreeNumbersStatement, findNextRestEndStatement } from "./number-supply.js";
import {
  findNextDueTimeStatement,
  listNeededAreaCodesStatement,
  listPoolsLackingNumbersStatement,
  makeAccountPoolsDueStatement,
  makeAllPoolsDueStatement,
  makePoolDueStatement,
  makePropertyPoolsDueStatement,
  type PoolKey,
} from "./pass-schedule-statements.js";
import {
  deleteTrackersStatement,
  insertTrackerChangesStatement,
  type PassTrackerRow,
  type TrackerChangeRowToWrite,
  type TrackerRowToWrite,
  writeTrackersStatement,
} from "./pass-statements.js";

/** How many pools are made due concurrently. */
const WAKE_BATCH = 100;

/** How many pools one statement makes due. */
const MAKE_DUE_BATCH = 1000;

/**
 * Returns the next time on the pool clock at which a pool becomes due, or a number that a pool lacks ends its rest period. Returns undefined if there
 * is no such time.
 *
 * @param since numbers whose rest period had ended by this time are omitted.
 */
export async function findNextDueTime(db: Executor, since: Date): Promise<Date | undefined> {
  const areaCodes = await findNeededAreaCodes(db);
  const [[due], [rested]] = await Promise.all([
    findNextDueTimeStatement(db, {}),
    findNextRestEndStatement(db, { areaCodes, since }),
  ]);
  const restedAt = rested?.free_from ?? undefined;
  return due === undefined || (restedAt !== undefined && restedAt < due.due_at) ? restedAt : due.due_at;
}

/**
 * Makes all pools due whose next pass is in the future, including leased pools. Use this function if a wrong clock has scheduled the passes. Pools
 * without a scheduled pass, such as frozen pools, stay unchanged.
 */
export async function makeAllPoolsDue(db: Executor): Promise<void> {
  while ((await makeAllPoolsDueStatement(db, { limit: MAKE_DUE_BATCH })).length === MAKE_DUE_BATCH);
}

/**
 * Makes the pools of properties due for a pass within `withinMs`. Use this function after the transaction that counts visits to the properties is
 * committed. Pools that are due sooner stay unchanged, because their pass has not begun and will read the visits.
 *
 * @param properties in an order that is the same in all statements, to avoid deadlocks.
 */
export async function makePropertyPoolsDue(
  db: Executor,
  properties: readonly { readonly accountId: number; readonly propertyToken: string }[],
  withinMs: number,
): Promise<void> {
  const accountIds = properties.map(({ accountId }) => accountId);
  const propertyTokens = properties.map(({ propertyToken }) => propertyToken);
  const accountId = findSoleAccountId(accountIds);
  if (accountId !== undefined) await makeAccountPoolsDueStatement(db, { accountId, propertyTokens, withinMs });
  else if (accountIds.length > 0) await makePropertyPoolsDueStatement(db, { accountIds, propertyTokens, withinMs });
}

/**
 * Makes pools due for a pass if they lack numbers that are now free. In each area code, makes at most as many pools due as the area code has free
 * numbers.
 */
export async function makePoolsLackingNumbersDue(db: Executor): Promise<void> {
  const wanted = await findNeededAreaCodes(db);
  if (wanted.length === 0) return;
  const free = new Map(
    (await countFreeNumbersStatement(db, { areaCodes: wanted })).map((row) => [row.area_code, row.free]),
  );
  if (free.size === 0) return;
  const lacking = (await listPoolsLackingNumbersStatement(db, { areaCodes: [...free.keys()] })).filter(
    ({ area_code }) => {
      const left = free.get(area_code) ?? 0;
      free.set(area_code, left - 1);
      return left > 0;
    },
  );
  // One statement per pool, because locking several pools at once could deadlock with other servers.
  while (lacking.length > 0)
    await Promise.all(lacking.splice(0, WAKE_BATCH).map((pool) => makePoolDueStatement(db, pool)));
}

async function findNeededAreaCodes(db: Executor): Promise<string[]> {
  return (await listNeededAreaCodesStatement(db, {})).map((row) => row.area_code);
}

/**
 * Writes the changed call trackers and the history of a pass. The number of statements does not depend on the number of changes.
 *
 * @returns the added call trackers, and the numbers of the deleted call trackers.
 */
export async function writePassOutcome(
  db: Executor,
  pool: PoolKey,
  before: readonly PassTrackerRow[],
  { changes, trackers }: Pick<PassOutcome, "changes" | "trackers">,
): Promise<{ readonly added: readonly NumberPurchase[]; readonly deleted: readonly string[] }> {
  if (changes.length === 0) return { added: [], deleted: [] };
  const ids = new Map(before.map((row) => [row.tracking_number, row.id]));
  const changed = new Set(changes.map(({ trackingNumber }) => trackingNumber));
  const after = trackers.filter(({ trackingNumber }) => changed.has(trackingNumber)).sort(activeLast);
  const deleted = deletedNumbers(before, trackers);
  if (deleted.length > 0)
    await deleteTrackersStatement(db, { ...pool, ids: deleted.map((number) => ids.get(number) ?? "") });
  const written = after.length > 0 ? await writeTrackersStatement(db, { ...pool, trackers: jsonOf(after, ids) }) : [];
  const added = written
    .filter((row) => !ids.has(row.tracking_number))
    .map(({ id, tracking_number }) => ({
      trackingNumber: tracking_number,
      accountId: pool.account_id,
      poolId: pool.pool_id,
      callTrackerId: id,
    }));
  for (const { trackingNumber, callTrackerId } of added) ids.set(trackingNumber, callTrackerId);
  await insertTrackerChangesStatement(db, { ...pool, changes: historyOf(changes, ids) });
  return { added, deleted };
}

/**
 * Sorts active call trackers last. A source has at most one active call tracker at any time. Its previous call tracker must therefore be flagged
 * before the next one becomes active.
 */
function activeLast(one: PassTracker, other: PassTracker): number {
  return Number(one.status === "active") - Number(other.status === "active");
}

function deletedNumbers(before: readonly PassTrackerRow[], after: readonly PassTracker[]): string[] {
  const kept = new Set(after.map(({ trackingNumber }) => trackingNumber));
  return before.map((row) => row.tracking_number).filter((number) => !kept.has(number));
}

function jsonOf(trackers: readonly PassTracker[], ids: ReadonlyMap<string, string>): string {
  return JSON.stringify(
    trackers.map(
      (tracker): TrackerRowToWrite => ({
        id: ids.get(tracker.trackingNumber) ?? null,
        tracking_number: tracker.trackingNumber,
        status: tracker.status,
        source: tracker.source?.source ?? null,
        medium: tracker.source?.medium ?? null,
        available_since: tracker.availableSince,
        dropped_at: tracker.droppedAt ?? null,
      }),
    ),
  );
}

function historyOf(changes: readonly TrackerChange[], ids: ReadonlyMap<string, string>): string {
  return JSON.stringify(
    changes.map(({ kind, trackingNumber, source, reason }, place): TrackerChangeRowToWrite & { place: number } => ({
      place,
      call_tracker_id: ids.get(trackingNumber) ?? "",
      tracking_number: trackingNumber,
      kind,
      source: source?.source ?? null,
      medium: source?.medium ?? null,
      reason,
    })),
  );
}
