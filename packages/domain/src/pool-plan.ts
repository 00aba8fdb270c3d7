import { createPassContext, type PassContext } from "./pass-context.js";
import type { PassInput } from "./pass-input.js";
import { type PassOutcome, takeSteps } from "./pass-outcome.js";
import { type PassTracker, timelineEnd } from "./pass-tracker.js";
import type { RankedSource } from "./source-ranking.js";
import type { TrackerChange } from "./tracker-change.js";

const DAY_MS = 86_400_000;

/** What is to change of a pool; what is absent stays as it is. */
export interface PlannedPoolChange {
  readonly size?: number | undefined;
  readonly utilization?: number | undefined;
  /** The free numbers of the new area code, in the order in which they are to be taken. */
  readonly inventory?: readonly string[] | undefined;
  /** Whether deleted numbers come back to the pool's inventory: by default, if no other is given. */
  readonly keepsAreaCode?: boolean | undefined;
}

/** A change of a call tracker that is to come. */
export interface PlannedChange extends TrackerChange {
  readonly at: Date;
  /** Whether the same happens at the same time if the pool is left as it is. */
  readonly happensAnyway: boolean;
}

/** What a change of a pool would do. */
export interface PoolPlan {
  /** In the order in which they happen. */
  readonly changes: readonly PlannedChange[];
  /** The best sources that have no tracker in the end, best first. */
  readonly unserved: readonly RankedSource[];
  /** How many numbers the inventory lacks in the end. */
  readonly missing: number;
}

/**
 * What a change of a pool would do, and when, if all visits stay as they are: a pass at once, and one whenever the passage of
 * time alone makes a change.
 *
 * @param horizonMs how far to look ahead, this moment included; by default a day longer than a timeline, by when all that a
 *   change began is done.
 */
export function planPool(
  before: PassInput,
  change: PlannedPoolChange,
  horizonMs: number = before.settings.timelineMs + DAY_MS,
): PoolPlan {
  const until = before.now.getTime() + horizonMs;
  const anyway = new Set(foresee(before, until, true).changes.map(changeKey));
  const { size = before.pool.size, utilization = before.pool.utilization, inventory = before.inventory } = change;
  const after: PassInput = { ...before, pool: { ...before.pool, size, utilization }, inventory };
  const { changes, last } = foresee(after, until, change.keepsAreaCode ?? change.inventory === undefined);
  return {
    changes: changes.map((each) => ({ ...each, happensAnyway: anyway.has(changeKey(each)) })),
    unserved: last.unserved,
    missing: last.missing,
  };
}

type DatedChange = Omit<PlannedChange, "happensAnyway">;

function foresee(
  start: PassInput,
  until: number,
  keepsAreaCode: boolean,
): { readonly changes: readonly DatedChange[]; readonly last: PassOutcome } {
  let context = createPassContext(start);
  let last = takeSteps(context, start.trackers);
  const changes = [datedChanges(last, context.now)];
  while (last.nextDueAt && last.nextDueAt.getTime() <= until) {
    const { idle, due } = splitTrackers(context, last, last.nextDueAt.getTime());
    const inventory = nextInventory(context.inventory, last.changes, keepsAreaCode);
    // Who is served stays served while the visits stay, and all keep their ranks.
    const ranking = { ...context.ranking, top: last.unserved };
    context = { ...context, inventory, idle, ranking, now: last.nextDueAt };
    last = takeSteps(context, due);
    changes.push(datedChanges(last, context.now));
    // No two passes at one moment change nothing, or there would be no end.
    if (last.changes.length === 0 && last.nextDueAt?.getTime() === context.now.getTime()) break;
  }
  return { changes: changes.flat(), last };
}

/**
 * Tells the trackers that a pass at a later moment can change from the others, which are most: flagged ones whose timeline is
 * over by then, and available ones if they are wanted. A pass leaves no available ones in a pool above its size.
 */
function splitTrackers(
  { settings }: PassContext,
  { trackers, unserved }: PassOutcome,
  at: number,
): { readonly idle: readonly PassTracker[]; readonly due: readonly PassTracker[] } {
  const idle: PassTracker[] = [];
  const due: PassTracker[] = [];
  for (const tracker of trackers) {
    const isOver = (timelineEnd(tracker, settings.timelineMs) ?? Number.POSITIVE_INFINITY) <= at;
    const isWanted = tracker.status === "available" && unserved.length > 0;
    (isOver || isWanted ? due : idle).push(tracker);
  }
  return { idle, due };
}

function nextInventory(
  inventory: readonly string[],
  changes: readonly TrackerChange[],
  keepsAreaCode: boolean,
): readonly string[] {
  const taken = numbersOf("added", changes);
  const returned = keepsAreaCode ? numbersOf("deleted", changes) : new Set<string>();
  if (taken.size === 0 && returned.size === 0) return inventory;
  return [...inventory.filter((number) => !taken.has(number)), ...returned];
}

function numbersOf(kind: TrackerChange["kind"], changes: readonly TrackerChange[]): ReadonlySet<string> {
  return new Set(changes.filter((change) => change.kind === kind).map(({ trackingNumber }) => trackingNumber));
}

function datedChanges({ changes }: PassOutcome, at: Date): readonly DatedChange[] {
  return changes.map((change) => ({ ...change, at }));
}

function changeKey({ kind, trackingNumber, source, at }: DatedChange): string {
  return JSON.stringify([kind, trackingNumber, source?.source, source?.medium, at.getTime()]);
}
