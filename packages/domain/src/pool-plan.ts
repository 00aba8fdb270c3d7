import { createPassContext } from "./pass-context.js";
import type { PassInput } from "./pass-input.js";
import { type PassOutcome, takeSteps } from "./pass-outcome.js";
import type { RankedSource } from "./source-ranking.js";
import type { TrackerChange } from "./tracker-change.js";
import { createWaitingTrackers } from "./waiting-trackers.js";

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

/**
 * What a pool does until a moment. Of a pass at a later one most trackers and sources can't be part, so it is given those that
 * can: a plan of thousands of timelines costs little more than their changes.
 */
function foresee(
  start: PassInput,
  until: number,
  keepsAreaCode: boolean,
): { readonly changes: readonly DatedChange[]; readonly last: PassOutcome } {
  const context = createPassContext(start);
  let last = takeSteps(context, start.trackers);
  const changes = [datedChanges(last, context.now)];
  const numbers = start.inventory.filter(isNoneOf(numbersOf("added", last.changes)));
  const waiting = createWaitingTrackers(last.trackers, context.settings.timelineMs);
  const { unserved } = last;
  let count = last.trackers.length;
  let served = 0;
  let taken = 0;
  for (;;) {
    if (keepsAreaCode) numbers.push(...numbersOf("deleted", last.changes));
    const now = last.nextDueAt;
    if (!now || now.getTime() > until) break;
    const due = waiting.take(now.getTime(), served < unserved.length);
    // Who is served stays served while the visits stay, and all keep their ranks. One more than there can be trackers for
    // tells that not all are served.
    const ranking = { ...context.ranking, top: unserved.slice(served, served + due.length + 1) };
    const inventory = numbers.slice(taken, taken + Math.max(0, context.pool.size - count));
    const idle = { count: count - due.length, timelineEnd: waiting.timelineEnd() };
    last = takeSteps({ ...context, inventory, idle, ranking, now }, due);
    changes.push(datedChanges(last, now));
    waiting.add(last.trackers);
    count = idle.count + last.trackers.length;
    served += countOf("activated", last.changes);
    taken += countOf("added", last.changes);
    // No two passes at one moment change nothing, or there would be no end.
    if (last.changes.length === 0 && last.nextDueAt?.getTime() === now.getTime()) break;
  }
  return { changes: changes.flat(), last: { ...last, unserved: unserved.slice(served) } };
}

function isNoneOf(numbers: ReadonlySet<string>): (number: string) => boolean {
  return (number) => !numbers.has(number);
}

function countOf(kind: TrackerChange["kind"], changes: readonly TrackerChange[]): number {
  return changes.filter((change) => change.kind === kind).length;
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
