import type { PassOutcome, PassTracker, TrackerChange } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { soleAccount } from "../database/distribution/sole-account.js";
import { findFreeAreaCodes, findNextRested } from "./number-supply.js";
import {
  claimStatement,
  type DuePool,
  hurryStatement,
  type LeasedPool,
  lackingPoolsStatement,
  lastPassStatement,
  makeAllDueStatement,
  makeDueOfAccountStatement,
  makeDueStatement,
  nextDueStatement,
  type PoolKey,
  postponeStatement,
  wantedAreaCodesStatement,
} from "./pass-schedule-statements.js";
import {
  deleteTrackersStatement,
  insertChangesStatement,
  type PassTrackerRow,
  type WrittenChange,
  type WrittenTracker,
  writeTrackersStatement,
} from "./pass-statements.js";

/** How many pools are made due at a time. */
const WAKE_BATCH = 100;

/** How many pools are made due by one statement. */
const MAKE_DUE_CHUNK = 1000;

/**
 * When the next pool is due, or a number that one lacks has rested, by the clock of the pools; undefined if never.
 *
 * @param since leaves out numbers that had rested by then.
 */
export async function findNextDueTime(db: Executor, since: Date): Promise<Date | undefined> {
  const [[due], rested] = await Promise.all([
    nextDueStatement(db, {}),
    findNextRested(db, await findWantedAreaCodes(db), since),
  ]);
  return due === undefined || (rested !== undefined && rested < due.due_at) ? rested : due.due_at;
}

/** When a pool was managed last, by the clock of the pools; undefined if none ever was. */
export async function findLastPass(db: Executor): Promise<Date | undefined> {
  const [row] = await lastPassStatement(db, {});
  return row?.passed_at ?? undefined;
}

/**
 * Makes all pools due that are planned for later, those too that a server has taken: the clock by which that was planned was wrong.
 * Frozen ones, and those that nothing is to be done about, stay as they are.
 */
export async function makeAllDue(db: Executor): Promise<void> {
  while ((await makeAllDueStatement(db, { most: MAKE_DUE_CHUNK })).length === MAKE_DUE_CHUNK);
}

/**
 * Takes a due pool for a pass, which is to do what made it due. Should the pass not come to an end, the pool is due again when
 * the lease is over.
 *
 * @returns undefined if the pool was taken by another.
 */
export async function claimPool(db: Executor, pool: DuePool, leaseMs: number): Promise<LeasedPool | undefined> {
  const [leased] = await claimStatement(db, { ...pool, leaseMs });
  return leased;
}

/**
 * Makes a pool due again after a failed pass, the later the more have failed.
 *
 * @returns how many have, or undefined if another has taken the pool since the lease ran out.
 */
export async function postponePool(
  db: Executor,
  pool: LeasedPool,
  failure: string,
  mostMs: number,
): Promise<number | undefined> {
  const [row] = await postponeStatement(db, { ...pool, failure, mostMs });
  return row?.failures;
}

/**
 * Makes the pools of properties due within a time, as visits of theirs were counted. Call it when that is committed: a pool that
 * is due by then is left alone, as its pass is yet to begin and sees the visits. Earlier, it might have begun before.
 *
 * @param properties in an order that is the same for all callers.
 */
export async function makePoolsDue(
  db: Executor,
  properties: readonly { readonly accountId: number; readonly propertyToken: string }[],
  withinMs: number,
): Promise<void> {
  const accountIds = properties.map(({ accountId }) => accountId);
  const propertyTokens = properties.map(({ propertyToken }) => propertyToken);
  const accountId = soleAccount(accountIds);
  if (accountId !== undefined) await makeDueOfAccountStatement(db, { accountId, propertyTokens, withinMs });
  else if (accountIds.length > 0) await makeDueStatement(db, { accountIds, propertyTokens, withinMs });
}

/** Makes the pools due that lack numbers where the inventory has some for them again. */
export async function wakePoolsLackingNumbers(db: Executor): Promise<void> {
  const areaCodes = await findFreeAreaCodes(db, await findWantedAreaCodes(db));
  if (areaCodes.length === 0) return;
  const lacking = await lackingPoolsStatement(db, { areaCodes });
  // Each by itself: who holds many of them could wait for somebody who waits for them.
  while (lacking.length > 0) await Promise.all(lacking.splice(0, WAKE_BATCH).map((pool) => hurryStatement(db, pool)));
}

async function findWantedAreaCodes(db: Executor): Promise<string[]> {
  return (await wantedAreaCodesStatement(db, {})).map((row) => row.area_code);
}

/** A call tracker as the rules of the domain see it. */
export function passTrackerOf(row: PassTrackerRow): PassTracker {
  return {
    trackingNumber: row.tracking_number,
    status: row.status,
    source: row.source === null ? undefined : { source: row.source, medium: row.medium ?? "" },
    droppedAt: row.dropped_at ?? undefined,
    availableSince: row.available_since,
    retirement: row.retirement ?? undefined,
  };
}

/** What a pass did to the numbers of a pool. */
export interface WrittenPass {
  /** The call trackers that were added, by their numbers. */
  readonly added: readonly { readonly trackingNumber: string; readonly callTrackerId: string }[];
  /** The numbers of the call trackers that were deleted. */
  readonly deleted: readonly string[];
}

/** Writes what a pass changed, call trackers and history, in a few statements however much it is. */
export async function writePass(
  db: Executor,
  pool: PoolKey,
  before: readonly PassTrackerRow[],
  { changes, trackers }: Pick<PassOutcome, "changes" | "trackers">,
): Promise<WrittenPass> {
  if (changes.length === 0) return { added: [], deleted: [] };
  const ids = new Map(before.map((row) => [row.tracking_number, row.id]));
  const changed = new Set(changes.map(({ trackingNumber }) => trackingNumber));
  const after = trackers.filter(({ trackingNumber }) => changed.has(trackingNumber)).sort(activeLast);
  const deleted = deletedNumbers(before, trackers);
  if (deleted.length > 0)
    await deleteTrackersStatement(db, { ...pool, ids: deleted.map((number) => ids.get(number) ?? "") });
  const written = after.length > 0 ? await writeTrackersStatement(db, { ...pool, trackers: jsonOf(after, ids) }) : [];
  const added = written.filter((row) => !ids.has(row.tracking_number));
  for (const { id, tracking_number } of added) ids.set(tracking_number, id);
  await insertChangesStatement(db, { ...pool, changes: historyOf(changes, ids) });
  return { added: added.map((row) => ({ trackingNumber: row.tracking_number, callTrackerId: row.id })), deleted };
}

/** A source has one active call tracker at a time: one that is being retired is flagged before another serves its source. */
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
      (tracker): WrittenTracker => ({
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
    changes.map(({ kind, trackingNumber, source, reason }, place): WrittenChange & { place: number } => ({
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
